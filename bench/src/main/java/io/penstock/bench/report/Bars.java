package io.penstock.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A bar chart of the figures of contenders. Immutable.
 *
 * @param unit the unit, as text
 */
public record Bars(String name, String title, String unit, List<Bar> bars) implements Plot {
  /** The bars with this text in their label are highlighted. */
  private static final String HIGHLIGHTED = "Penstock";

  private static final int WIDTH = 720;
  private static final int LEFT = 290;
  private static final int RIGHT = 100;
  private static final int TOP = 56;
  private static final int LINE = 26;

  /** The figure of a contender; not negative. */
  public record Bar(String label, double value) {}

  public Bars {
    bars = List.copyOf(bars);
  }

  /** Collects bars. Not thread-safe. */
  public static final class Builder {
    private final List<Bar> bars = new ArrayList<>();

    public Builder add(String label, double value) {
      bars.add(new Bar(label, Math.max(0, value)));
      return this;
    }

    public Bars build(String name, String title, String unit) {
      return new Bars(name, title, unit, bars);
    }
  }

  @Override
  public String svg() {
    Svg svg = new Svg(WIDTH, TOP + bars.size() * LINE + 12);
    svg.title(16, 22, title);
    svg.text(16, 40, "start", unit);
    double max = bars.stream().mapToDouble(Bar::value).max().orElse(0);
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      double y = TOP + (double) i * LINE;
      double width = max == 0 ? 0 : (WIDTH - LEFT - RIGHT) * bar.value / max;
      svg.text(LEFT - 8, y + 15, "end", bar.label);
      svg.bar(
          LEFT,
          y + 3,
          Math.max(1, width),
          LINE - 8.0,
          Svg.colour(bar.label.contains(HIGHLIGHTED) ? 0 : 2));
      svg.text(LEFT + Math.max(1, width) + 6, y + 15, "start", format(bar.value));
    }
    return svg.end();
  }

  private static String format(double value) {
    return String.format(
        Locale.ROOT, value >= 100 || value == Math.rint(value) ? "%,.0f" : "%,.2f", value);
  }
}
