package io.penstock.policy.accesslog;

import java.util.List;

/**
 * The access log of an AWS Application Load Balancer: {@code https 2025-10-10T13:55:36.123456Z
 * app/name/id 192.0.2.1:2817 10.0.0.1:80 0.0 0.0 0.0 200 200 34 366 "GET https://host:443/a
 * HTTP/1.1" "agent" …}.
 */
final class LoadBalancerFormat implements LineFormat {
  private static final List<String> TYPES =
      List.of("http ", "https ", "h2 ", "grpcs ", "ws ", "wss ");
  private static final int TIME = 1;
  private static final int CLIENT = 3;
  private static final int STATUS = 8;
  private static final int REQUEST = 12;

  private final int agent;

  LoadBalancerFormat(LogFields fields) {
    this.agent = fields.code("http_user_agent");
  }

  @Override
  public LineKind read(byte[] line, int from, int to, LineFields into) {
    if (!hasType(line, from, to)) {
      return LineKind.OTHER;
    }
    int at = from;
    for (int column = 0; column < REQUEST; column++) {
      int end = Bytes.indexOf(line, ' ', at, to);
      switch (column) {
        case TIME -> into.set(LogField.TIME, at, end);
        case CLIENT -> into.set(LogField.ADDRESS, at, end);
        case STATUS -> into.set(LogField.STATUS, at, end);
        default -> {}
      }
      if (end == to) {
        return LineKind.OTHER;
      }
      at = end + 1;
    }
    if (at >= to || line[at] != '"') {
      return LineKind.OTHER;
    }
    int quote = Bytes.closingQuote(line, at + 1, to);
    into.set(LogField.REQUEST_LINE, at + 1, quote);
    if (Bytes.startsWith(line, "\" \"", quote, to)) {
      into.set(agent, quote + 3, Bytes.closingQuote(line, quote + 3, to), TextEscape.NONE);
    }
    return quote == to ? LineKind.OTHER : LineKind.REQUEST;
  }

  private static boolean hasType(byte[] line, int from, int to) {
    for (String type : TYPES) {
      if (Bytes.startsWith(line, type, from, to)) {
        return true;
      }
    }
    return false;
  }
}
