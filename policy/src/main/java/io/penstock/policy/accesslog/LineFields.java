package io.penstock.policy.accesslog;

import java.util.Arrays;

/** The positions of the fields in one line. Reused for every line. Not thread-safe. */
final class LineFields {
  private static final int UNSET = Integer.MAX_VALUE;

  private final LogFields fields;
  private final int[] from;
  private final int[] to;
  private final int[] rank;
  private final TextEscape[] escape;
  private byte[] line = {};

  LineFields(LogFields fields) {
    this.fields = fields;
    int slots = fields.slots();
    this.from = new int[slots];
    this.to = new int[slots];
    this.rank = new int[slots];
    this.escape = new TextEscape[slots];
  }

  LogFields fields() {
    return fields;
  }

  void begin(byte[] text) {
    line = text;
    Arrays.fill(rank, UNSET);
  }

  void set(LogField field, int start, int end) {
    set(LogFields.code(field), start, end, TextEscape.NONE);
  }

  /** Sets a field by the code of its name, unless a better name of it was found. */
  void set(int code, int start, int end, TextEscape escaping) {
    if (code == LogFields.UNKNOWN) {
      return;
    }
    int slot = LogFields.slot(code);
    boolean isAbsent = start == end || (end - start == 1 && line[start] == '-');
    if (!isAbsent && LogFields.rank(code) < rank[slot]) {
      rank[slot] = LogFields.rank(code);
      from[slot] = start;
      to[slot] = end;
      escape[slot] = escaping;
    }
  }

  boolean has(LogField field) {
    return has(field.slot());
  }

  boolean has(int slot) {
    return rank[slot] != UNSET;
  }

  byte[] line() {
    return line;
  }

  int from(int slot) {
    return from[slot];
  }

  int to(int slot) {
    return to[slot];
  }

  TextEscape escape(int slot) {
    return escape[slot];
  }
}
