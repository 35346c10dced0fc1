package io.penstock.policy;

import static java.nio.charset.StandardCharsets.UTF_8;

/** An input as lines of text, so that people can write seeds. Immutable. */
public final class Lines {
  private final String[] lines;

  private Lines(String text) {
    this.lines = text.split("\n", -1);
  }

  public static Lines of(byte[] input) {
    return new Lines(new String(input, UTF_8));
  }

  public int count() {
    return lines.length;
  }

  /** Returns a line, counted from 0; empty if there are fewer. */
  public String get(int line) {
    return line < lines.length ? lines[line] : "";
  }
}
