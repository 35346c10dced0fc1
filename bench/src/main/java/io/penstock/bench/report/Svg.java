package io.penstock.bench.report;

import java.util.Locale;

/** Builds an SVG image. Not thread-safe. */
final class Svg {
  /** Colors that color-blind readers can distinguish. */
  private static final String[] COLOURS = {
    "#0b6e99", "#d9730d", "#6b6b6b", "#448361", "#9065b0", "#c14c8a", "#b59a00", "#d44c47",
    "#7fb3d5", "#8a6d3b", "#2a9d8f", "#e9c46a", "#264653", "#b5838d"
  };

  private final StringBuilder text = new StringBuilder();

  Svg(int width, int height) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"12\">",
        width, height, width);
    add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height);
  }

  static String colour(int i) {
    return COLOURS[i % COLOURS.length];
  }

  void line(double x1, double y1, double x2, double y2, String colour) {
    add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>",
        x1, y1, x2, y2, colour);
  }

  void polyline(String points, String colour) {
    add("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", points, colour);
  }

  void dot(double x, double y, String colour) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, colour);
  }

  void bar(double x, double y, double width, double height, String colour) {
    add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
        x, y, width, height, colour);
  }

  /**
   * @param anchor start, middle or end
   */
  void text(double x, double y, String anchor, String content) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#222222\">%s</text>",
        x, y, anchor, escaped(content));
  }

  void title(double x, double y, String content) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" font-size=\"14\" font-weight=\"bold\""
            + " fill=\"#222222\">%s</text>",
        x, y, escaped(content));
  }

  private static String escaped(String content) {
    return content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private void add(String format, Object... values) {
    text.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** Returns the complete image. */
  String end() {
    return text + "</svg>\n";
  }
}
