package io.penstock.policy.accesslog;

/**
 * The HTTP log format of HAProxy ({@code option httplog} and {@code httpslog}), with or without the
 * prefix of syslog: {@code 192.0.2.1:5678 [10/Oct/2025:13:55:36.123] front back/server 0/0/1/2/3
 * 200 23 - - ---- 1/1/0/0/0 0/0 "GET /a HTTP/1.1"}.
 */
final class HaproxyFormat implements LineFormat {
  private static final String PROCESS = "haproxy[";
  private static final int MAX_PREFIX = 256;

  @Override
  public LineKind read(byte[] line, int from, int to, LineFields into) {
    int start = afterPrefix(line, from, to);
    int space = Bytes.indexOf(line, ' ', start, to);
    if (!Bytes.startsWith(line, " [", space, to)
        || Bytes.lastIndexOf(line, ':', start, space) < start) {
      return LineKind.OTHER;
    }
    int closing = Bytes.indexOf(line, ']', space, to);
    if (!Bytes.startsWith(line, "] ", closing, to)) {
      return LineKind.OTHER;
    }
    int frontend = closing + 2;
    int backend = Bytes.indexOf(line, ' ', frontend, to) + 1;
    int timers = Bytes.indexOf(line, ' ', Math.min(to, backend), to) + 1;
    int status = Bytes.indexOf(line, ' ', Math.min(to, timers), to) + 1;
    if (status >= to
        || !Bytes.contains(line, '/', backend, timers)
        || !(Bytes.isDigit(line, status, to) || line[status] == '-')) {
      return LineKind.OTHER;
    }
    int quote = Bytes.indexOf(line, '"', status, to);
    int end = Bytes.indexOf(line, '"', Math.min(to, quote + 1), to);
    if (end == to) {
      // The path of a line that is cut off would be another one.
      return LineKind.OTHER;
    }
    into.set(LogField.ADDRESS, start, space);
    into.set(LogField.TIME, space + 2, closing);
    into.set(LogField.STATUS, status, Bytes.indexOf(line, ' ', status, to));
    into.set(LogField.REQUEST_LINE, quote + 1, end);
    return LineKind.REQUEST;
  }

  /** Skips {@code <134>} or {@code Oct 10 13:55:36 host haproxy[123]: }. */
  private static int afterPrefix(byte[] line, int from, int to) {
    int end = Math.min(to, from + MAX_PREFIX);
    for (int at = from; at + PROCESS.length() < end; at++) {
      if (line[at] == 'h' && Bytes.startsWith(line, PROCESS, at, end)) {
        int bracket = Bytes.indexOf(line, ']', at, end);
        return Bytes.startsWith(line, "]: ", bracket, end) ? bracket + 3 : from;
      }
    }
    if (from < to && line[from] == '<') {
      int after = Bytes.indexOf(line, '>', from, end) + 1;
      return after < end ? after : from;
    }
    return from;
  }
}
