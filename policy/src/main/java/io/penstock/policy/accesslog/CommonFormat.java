package io.penstock.policy.accesslog;

/**
 * The common and combined log formats of Apache, nginx, HAProxy ({@code httplog clf}) and others,
 * with or without a virtual host before the client, and with any further fields at the end: {@code
 * 192.0.2.1 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/1.1" 200 23 "referrer" "agent"}.
 */
final class CommonFormat implements LineFormat {
  private static final int MAX_PREFIX = 512;

  private final int user;
  private final int referrer;
  private final int agent;

  CommonFormat(LogFields fields) {
    this.user = fields.code("remote_user");
    this.referrer = fields.code("http_referer");
    this.agent = fields.code("http_user_agent");
  }

  @Override
  public LineKind read(byte[] line, int from, int to, LineFields into) {
    int bracket = bracket(line, from, Math.min(to, from + MAX_PREFIX));
    if (bracket < 0) {
      return LineKind.OTHER;
    }
    int closing = Bytes.indexOf(line, ']', bracket, to);
    if (closing == to || !Bytes.startsWith(line, "] \"", closing, to)) {
      return LineKind.OTHER;
    }
    int first = Bytes.indexOf(line, ' ', from, bracket);
    int second = Bytes.indexOf(line, ' ', first + 1, bracket);
    int third = Bytes.indexOf(line, ' ', second + 1, bracket);
    if (third >= bracket) {
      return LineKind.OTHER;
    }
    into.set(LogField.TIME, bracket + 1, closing);
    if (third + 1 < bracket && isAddress(line, first + 1, second)) {
      into.set(LogField.HOST, from, first);
      into.set(LogField.ADDRESS, first + 1, second);
      into.set(user, third + 1, bracket - 1, TextEscape.NONE);
    } else {
      into.set(LogField.ADDRESS, from, first);
      into.set(user, second + 1, bracket - 1, TextEscape.NONE);
    }
    int request = closing + 3;
    int quote = Bytes.closingQuote(line, request, to);
    if (quote == to || quote + 2 >= to || line[quote + 1] != ' ') {
      return LineKind.OTHER;
    }
    into.set(LogFields.code(LogField.REQUEST_LINE), request, quote, escape(line, request, quote));
    int status = quote + 2;
    int statusEnd = Bytes.indexOf(line, ' ', status, to);
    into.set(LogField.STATUS, status, statusEnd);
    readClient(line, Bytes.indexOf(line, ' ', Math.min(to, statusEnd + 1), to), to, into);
    return Bytes.isDigit(line, status, to) || line[status] == '-'
        ? LineKind.REQUEST
        : LineKind.OTHER;
  }

  private void readClient(byte[] line, int from, int to, LineFields into) {
    if (!Bytes.startsWith(line, " \"", from, to)) {
      return;
    }
    int quote = Bytes.closingQuote(line, from + 2, to);
    into.set(referrer, from + 2, quote, escape(line, from + 2, quote));
    int start = quote + 3;
    if (start <= to && Bytes.startsWith(line, "\" \"", quote, to)) {
      int end = Bytes.closingQuote(line, start, to);
      into.set(agent, start, end, escape(line, start, end));
    }
  }

  /** Returns the position of the bracket before the time; -1 if there is none. */
  private static int bracket(byte[] line, int from, int to) {
    for (int at = from + 1; at < to; at++) {
      if (line[at] == '[' && line[at - 1] == ' ') {
        return at;
      }
    }
    return -1;
  }

  private static boolean isAddress(byte[] line, int from, int to) {
    boolean hasSeparator = false;
    for (int i = from; i < to; i++) {
      byte c = line[i];
      hasSeparator |= c == '.' || c == ':';
      if (c != '.' && c != ':' && Character.digit(c, 16) < 0) {
        return false;
      }
    }
    return hasSeparator;
  }

  private static TextEscape escape(byte[] line, int from, int to) {
    return Bytes.contains(line, '\\', from, to) ? TextEscape.BACKSLASH : TextEscape.NONE;
  }
}
