package io.penstock.policy.accesslog;

import java.util.List;

/**
 * A part of a log line that is read whatever the policy. Each has the names under which servers log
 * it, the preferred one first.
 */
enum LogField {
  TIME(
      "time",
      "ts",
      "timestamp",
      "@timestamp",
      "time_iso8601",
      "msec",
      "time_local",
      "start_time",
      "datetime",
      "date_time",
      "requested_at"),
  /** The date, if the time has none. */
  DATE("date"),
  ADDRESS(
      "ip:address",
      "request.client_ip",
      "client_ip",
      "remote_addr",
      "request.remote_ip",
      "remote_ip",
      "request.remote_addr",
      "client",
      "client_addr",
      "clientip",
      "c-ip",
      "ip",
      "ip_address",
      "address",
      "downstream_remote_address",
      "downstream_direct_remote_address",
      "x_forwarded_for",
      "http_x_forwarded_for"),
  METHOD("method", "request_method", "request.method", "req_method", "cs-method", "http_method"),
  /** The path, with or without a query, or a URL. */
  TARGET(
      "path",
      "request_uri",
      "request.uri",
      "target",
      "uri",
      "url",
      "cs-uri-stem",
      "request_path",
      "endpoint"),
  QUERY("cs-uri-query", "args", "query_string", "query"),
  /** {@code GET /path HTTP/1.1}. */
  REQUEST_LINE("request", "request_line"),
  HOST(
      "host",
      "http_host",
      "request.host",
      "x-host-header",
      "authority",
      ":authority",
      "server_name",
      "cs(host)"),
  STATUS("status", "response_code", "sc-status", "status_code"),
  /** How many requests a line stands for. */
  COUNT("count", "denied");

  @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable.
  private final List<String> names;

  LogField(String... names) {
    this.names = List.of(names);
  }

  /** Returns the index of the field in a line. */
  @SuppressWarnings("EnumOrdinal") // The index is not stored.
  int slot() {
    return ordinal();
  }

  /** Returns the names of the field in logs, the preferred one first. */
  List<String> names() {
    return names;
  }
}
