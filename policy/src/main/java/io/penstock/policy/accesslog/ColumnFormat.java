package io.penstock.policy.accesslog;

import java.util.Arrays;

/**
 * Columns whose names the log states: CSV with a header line, separated by commas, semicolons or
 * tabs, and the extended log format of W3C with a {@code #Fields} line, as CloudFront writes it.
 * Not thread-safe.
 */
final class ColumnFormat implements LineFormat {
  private static final String FIELDS = "#Fields:";
  private static final int MIN_KNOWN = 2;

  private final LogFields fields;
  private final boolean isExtended;
  private int[] codes = {};
  private byte separator;

  private ColumnFormat(LogFields fields, boolean isExtended) {
    this.fields = fields;
    this.isExtended = isExtended;
  }

  static ColumnFormat csv(LogFields fields) {
    return new ColumnFormat(fields, false);
  }

  static ColumnFormat extended(LogFields fields) {
    return new ColumnFormat(fields, true);
  }

  @Override
  public LineKind read(byte[] line, int from, int to, LineFields into) {
    if (isExtended && from < to && line[from] == '#') {
      if (Bytes.startsWith(line, FIELDS, from, to)) {
        return readNames(line, from + FIELDS.length() + 1, to, (byte) ' ');
      }
      return LineKind.HEADER;
    }
    if (codes.length == 0) {
      return isExtended ? LineKind.OTHER : readNames(line, from, to);
    }
    if (isExtended && separator == ' ' && Bytes.contains(line, '\t', from, to)) {
      // CloudFront separates names by spaces and values by tabs.
      separator = '\t';
    }
    int column = 0;
    for (int at = from; at <= to; column++) {
      at = readValue(line, at, to, column < codes.length ? codes[column] : -1, into);
    }
    return column == codes.length ? LineKind.REQUEST : LineKind.OTHER;
  }

  /** Reads a value and returns the position after its separator. */
  private int readValue(byte[] line, int from, int to, int code, LineFields into) {
    if (!isExtended && from < to && line[from] == '"') {
      int quote = from + 1;
      boolean isEscaped = false;
      while (quote < to && (line[quote] != '"' || (quote + 1 < to && line[quote + 1] == '"'))) {
        isEscaped |= line[quote] == '"';
        quote += line[quote] == '"' ? 2 : 1;
      }
      into.set(
          code,
          from + 1,
          Math.min(quote, to),
          isEscaped ? TextEscape.DOUBLED_QUOTE : TextEscape.NONE);
      return Bytes.indexOf(line, separator, Math.min(quote, to), to) + 1;
    }
    int end = Bytes.indexOf(line, separator, from, to);
    boolean isEscaped =
        isExtended
            && code >= 0
            && LogFields.slot(code) != LogField.TARGET.slot()
            && LogFields.slot(code) != LogField.QUERY.slot()
            && Bytes.contains(line, '%', from, end);
    into.set(code, from, end, isEscaped ? TextEscape.PERCENT : TextEscape.NONE);
    return end + 1;
  }

  private LineKind readNames(byte[] line, int from, int to) {
    for (byte each : new byte[] {',', ';', '\t'}) {
      if (Bytes.contains(line, each, from, to)) {
        return readNames(line, from, to, each);
      }
    }
    return LineKind.OTHER;
  }

  private LineKind readNames(byte[] line, int from, int to, byte delimiter) {
    int[] found = new int[8];
    int count = 0;
    int known = 0;
    boolean hasTime = false;
    for (int at = from; at <= to; count++) {
      int end = Bytes.indexOf(line, delimiter, at, to);
      byte[] name = unquoted(line, at, end);
      int code = fields.code(name, 0, name.length);
      if (count == found.length) {
        found = Arrays.copyOf(found, 2 * count);
      }
      found[count] = code;
      known += code == LogFields.UNKNOWN ? 0 : 1;
      hasTime |= code >= 0 && LogFields.slot(code) == LogField.TIME.slot();
      at = end + 1;
    }
    if (!hasTime || known < MIN_KNOWN) {
      return LineKind.OTHER;
    }
    separator = delimiter;
    codes = Arrays.copyOf(found, count);
    return LineKind.HEADER;
  }

  private static byte[] unquoted(byte[] line, int from, int to) {
    int start = from;
    int end = to;
    while (start < end && (line[start] == ' ' || line[start] == '"')) {
      start++;
    }
    while (end > start && (line[end - 1] == ' ' || line[end - 1] == '"')) {
      end--;
    }
    byte[] name = Arrays.copyOfRange(line, start, end);
    for (int i = 0; i < name.length; i++) {
      name[i] = name[i] >= 'A' && name[i] <= 'Z' ? (byte) (name[i] | 0x20) : name[i];
    }
    return name;
  }
}
