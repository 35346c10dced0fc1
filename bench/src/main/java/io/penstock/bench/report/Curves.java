package io.penstock.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * A line chart with logarithmic axes. Immutable.
 *
 * @param x the title of the x axis
 * @param y the title of the y axis
 */
public record Curves(String name, String title, String x, String y, List<Curve> curves)
    implements Plot {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 380;
  private static final int LEFT = 70;
  private static final int RIGHT = 210;
  private static final int TOP = 40;
  private static final int BOTTOM = 50;
  private static final int LINE = 18;

  /** A point of a curve. */
  public record Point(double x, double y) {}

  /** The points of one contender, from left to right. */
  public record Curve(String label, List<Point> points) {
    public Curve {
      points = List.copyOf(points);
    }
  }

  public Curves {
    curves = List.copyOf(curves);
  }

  @Override
  public String svg() {
    Svg svg = new Svg(WIDTH, HEIGHT);
    LogAxis across = LogAxis.of(all(true), LEFT, WIDTH - RIGHT);
    LogAxis up = LogAxis.of(all(false), HEIGHT - BOTTOM, TOP).withMargin();
    svg.title(LEFT, TOP - 18, title);
    for (double tick : across.ticks()) {
      double position = across.position(tick);
      svg.line(position, TOP, position, HEIGHT - BOTTOM, "#e6e6e6");
      svg.text(position, HEIGHT - BOTTOM + LINE, "middle", LogAxis.format(tick));
    }
    for (double tick : up.ticks()) {
      double position = up.position(tick);
      svg.line(LEFT, position, WIDTH - RIGHT, position, "#e6e6e6");
      svg.text(LEFT - 8, position + 4, "end", LogAxis.format(tick));
    }
    svg.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", x);
    svg.text(LEFT, TOP - 4, "end", y);
    for (int i = 0; i < curves.size(); i++) {
      draw(svg, curves.get(i), Svg.colour(i), across, up);
      double position = TOP + 10.0 + i * LINE;
      svg.bar(WIDTH - RIGHT + 16, position - 5, 14, 4, Svg.colour(i));
      svg.text(WIDTH - RIGHT + 36, position, "start", curves.get(i).label);
    }
    return svg.end();
  }

  private static void draw(Svg svg, Curve curve, String colour, LogAxis across, LogAxis up) {
    StringJoiner points = new StringJoiner(" ");
    for (Point point : curve.points) {
      points.add(
          String.format(Locale.ROOT, "%.1f,%.1f", across.position(point.x), up.position(point.y)));
    }
    svg.polyline(points.toString(), colour);
    curve.points.forEach(point -> svg.dot(across.position(point.x), up.position(point.y), colour));
  }

  private List<Double> all(boolean ofX) {
    List<Double> values = new ArrayList<>();
    for (Curve curve : curves) {
      curve.points.forEach(point -> values.add(ofX ? point.x : point.y));
    }
    return values;
  }
}
