package io.penstock.policy.accesslog;

/**
 * JSON objects, one a line, as nginx, Envoy, Caddy and many programs log them. The name of a field
 * in a nested object is its path, such as {@code request.remote_ip}; of an array, the first value
 * counts. Not thread-safe.
 */
final class JsonFormat implements LineFormat {
  private static final int MAX_DEPTH = 16;
  private static final int MAX_PATH = 512;

  private final LogFields fields;
  private final byte[] path = new byte[MAX_PATH];
  private byte[] line = {};
  private int at;
  private int end;
  private boolean failed;

  JsonFormat(LogFields fields) {
    this.fields = fields;
  }

  @Override
  public LineKind read(byte[] text, int from, int to, LineFields into) {
    line = text;
    at = from;
    end = to;
    failed = false;
    skipSpace();
    if (at == end || line[at] != '{') {
      return LineKind.OTHER;
    }
    object(0, 0, into);
    skipSpace();
    return failed || at != end ? LineKind.OTHER : LineKind.REQUEST;
  }

  /** Reads an object whose path has {@code prefix} bytes. */
  private void object(int prefix, int depth, LineFields into) {
    at++;
    skipSpace();
    if (take('}')) {
      return;
    }
    while (!failed) {
      int start = string();
      int length = append(start, at - 1, prefix);
      skipSpace();
      failed |= !take(':');
      value(length, depth, into);
      skipSpace();
      if (take('}')) {
        return;
      }
      failed |= !take(',');
      skipSpace();
    }
  }

  /**
   * Appends a name to the path, in lower case. A path that is too long is cut, so it is unknown.
   */
  private int append(int from, int to, int prefix) {
    int length = prefix;
    if (prefix > 0 && length < MAX_PATH) {
      path[length++] = '.';
    }
    for (int i = from; i < to && length < MAX_PATH; i++) {
      byte c = line[i];
      path[length++] = c >= 'A' && c <= 'Z' ? (byte) (c | 0x20) : c;
    }
    return length;
  }

  private void value(int length, int depth, LineFields into) {
    skipSpace();
    if (at == end || depth == MAX_DEPTH) {
      failed = true;
      return;
    }
    switch (line[at]) {
      case '"' -> {
        int start = string();
        if (!failed) {
          set(length, start, at - 1, true, into);
        }
      }
      case '{' -> object(length, depth + 1, into);
      case '[' -> array(length, depth + 1, into);
      default -> {
        int start = at;
        while (at < end && isLiteral(line[at])) {
          at++;
        }
        failed |= at == start;
        if (!failed && line[start] != 'n') {
          set(length, start, at, false, into);
        }
      }
    }
  }

  private void set(int length, int start, int stop, boolean isString, LineFields into) {
    int code = fields.code(path, 0, length);
    if (code != LogFields.UNKNOWN) {
      boolean isEscaped = isString && Bytes.contains(line, '\\', start, stop);
      into.set(code, start, stop, isEscaped ? TextEscape.JSON : TextEscape.NONE);
    }
  }

  private void array(int length, int depth, LineFields into) {
    at++;
    skipSpace();
    if (take(']')) {
      return;
    }
    for (int index = 0; !failed; index++) {
      value(index == 0 ? length : MAX_PATH, depth, into);
      skipSpace();
      if (take(']')) {
        return;
      }
      failed |= !take(',');
    }
  }

  /** Skips a string and returns the position of its first character. */
  private int string() {
    if (!take('"')) {
      failed = true;
      return at;
    }
    int start = at;
    int quote = Bytes.closingQuote(line, at, end);
    failed |= quote >= end;
    at = Math.min(end, quote + 1);
    return start;
  }

  private boolean take(char c) {
    if (at < end && line[at] == c) {
      at++;
      return true;
    }
    return false;
  }

  private void skipSpace() {
    while (at < end && (line[at] == ' ' || line[at] == '\t')) {
      at++;
    }
  }

  private static boolean isLiteral(byte c) {
    return (c >= '0' && c <= '9')
        || (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || c == '-'
        || c == '+'
        || c == '.';
  }
}
