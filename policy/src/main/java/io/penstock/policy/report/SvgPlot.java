package io.penstock.policy.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A plot as inline SVG. Not thread-safe. */
public final class SvgPlot {
  private static final int WIDTH = 800;
  private static final int HEIGHT = 220;
  private static final int LEFT = 60;
  private static final int BOTTOM = 30;
  private static final int TOP = 18;
  private static final double LABEL_WIDTH = 45;
  private static final int LEGEND_STEP = 90;
  private static final List<String> COLORS =
      List.of("#4a90d9", "#3d9970", "#e8a33d", "#d9534a", "#8e6bbf");

  private final StringBuilder body = new StringBuilder();

  private SvgPlot() {}

  /** A named series of values. */
  public record PlotSeries(String name, List<Double> values) {}

  /** Draws bars: all values in one color, and a part of each in another. */
  public static SvgPlot bars(List<String> labels, List<Long> whole, List<Long> part) {
    SvgPlot plot = new SvgPlot();
    long max = Math.max(1, whole.stream().mapToLong(Long::longValue).max().orElse(1));
    double step = (double) (WIDTH - LEFT) / Math.max(1, whole.size());
    for (int i = 0; i < whole.size(); i++) {
      plot.bar(i * step, step, whole.get(i), max, "var(--bar)", labels.get(i) + ": ");
      plot.bar(i * step, step, part.get(i), max, "var(--bad)", labels.get(i) + ", denied: ");
    }
    plot.legend(WIDTH - 2 * LEGEND_STEP, "requests", "var(--bar)");
    plot.legend(WIDTH - LEGEND_STEP, "denied", "var(--bad)");
    plot.yLabel(TextTable.count(max), TOP);
    plot.yLabel("0", HEIGHT - BOTTOM);
    if (!labels.isEmpty()) {
      plot.text(LEFT, HEIGHT - 8, "start", labels.get(0));
      plot.text(WIDTH, HEIGHT - 8, "end", labels.get(labels.size() - 1));
    }
    return plot;
  }

  /** Draws lines over the same labels, with a logarithmic axis. */
  public static SvgPlot lines(List<String> labels, List<PlotSeries> series) {
    SvgPlot plot = new SvgPlot();
    double max = 10;
    for (PlotSeries each : series) {
      for (double value : each.values()) {
        max = Math.max(max, value);
      }
    }
    double top = Math.ceil(Math.log10(max));
    for (int power = 0; power <= top; power++) {
      double y = y(Math.pow(10, power), top);
      plot.yLabel(TextTable.count(Math.round(Math.pow(10, power))), y);
      plot.line(List.of(LEFT + "," + format(y), WIDTH + "," + format(y)), "var(--line)", 1);
    }
    double step = (double) (WIDTH - LEFT - 20) / Math.max(1, labels.size() - 1);
    for (int s = 0; s < series.size(); s++) {
      List<String> points = new ArrayList<>();
      for (int i = 0; i < labels.size(); i++) {
        points.add(format(LEFT + i * step) + "," + format(y(series.get(s).values().get(i), top)));
      }
      String color = COLORS.get(s % COLORS.size());
      plot.line(points, color, 2);
      plot.legend(WIDTH - LEGEND_STEP * (series.size() - s), series.get(s).name(), color);
    }
    int shown = (int) Math.ceil(LABEL_WIDTH / Math.max(1, step));
    for (int i = 0; i < labels.size(); i += shown) {
      plot.text(LEFT + i * step, HEIGHT - 8, "middle", labels.get(i));
    }
    return plot;
  }

  private static double y(double value, double top) {
    return HEIGHT - BOTTOM - Math.log10(Math.max(1, value)) / top * (HEIGHT - BOTTOM - TOP);
  }

  private void bar(double x, double width, long value, long max, String color, String title) {
    if (value > 0) {
      double height = Math.max(1, (double) value / max * (HEIGHT - BOTTOM - TOP));
      body.append(
          "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"><title>%s%s</title></rect>%n"
              .formatted(
                  format(LEFT + x),
                  format(HEIGHT - BOTTOM - height),
                  format(Math.max(0.5, width * 0.9)),
                  format(height),
                  color,
                  HtmlPage.escape(title),
                  TextTable.count(value)));
    }
  }

  private void line(List<String> points, String color, int width) {
    body.append(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"/>%n"
            .formatted(String.join(" ", points), color, width));
  }

  private void legend(double x, String name, String color) {
    body.append(
        "<rect x=\"%s\" y=\"2\" width=\"10\" height=\"10\" fill=\"%s\"/>%n"
            .formatted(format(x), color));
    text(x + 14, 11, "start", name);
  }

  private void yLabel(String label, double y) {
    text(LEFT - 8, y + 4, "end", label);
  }

  private void text(double x, double y, String anchor, String label) {
    body.append(
        "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>%n"
            .formatted(format(x), format(y), anchor, HtmlPage.escape(label)));
  }

  private static String format(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  /**
   * @param label the accessible name, escaped
   */
  String svg(String label) {
    return "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n%s</svg>%n"
        .formatted(WIDTH, HEIGHT, label, body);
  }
}
