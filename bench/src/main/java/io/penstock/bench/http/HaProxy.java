package io.penstock.bench.http;

import io.penstock.bench.contest.Programs;
import io.penstock.bench.http.BenchRequest.BenchResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The configuration of HAProxy with one thread and a stick table by address.
 *
 * @param counter the counter of the stick table
 * @param rules the rules of the frontend
 * @param originPort the port of the origin
 * @param additions the headers that are added to the responses of the origin
 */
record HaProxy(String counter, String rules, int originPort, BenchResponse additions) {
  private static final String CONFIG =
      """
      global
        nbthread 1
        maxconn 4096
      defaults
        mode http
        timeout connect 5s
        timeout client 60s
        timeout server 60s
        http-reuse always
      frontend limited
        bind 127.0.0.1:PORT
        stick-table type ip size 1m expire 1h store COUNTER
        http-request track-sc0 src
        RULES
        default_backend origin
      backend origin
        http-request set-header X-Forwarded-For %[src]
        http-request set-header X-Real-IP %[src]
        http-request set-header X-Forwarded-Proto http
        http-request set-header X-Forwarded-Host %[req.hdr(host)]
        http-request set-header X-Forwarded-Port %[dst_port]
        http-request set-header X-Request-ID %[uuid()]
        http-request set-header Via '1.1 haproxy'
      ADDITIONS
        server origin 127.0.0.1:ORIGIN
      """;

  private static final BenchResponse NOTHING = new BenchResponse(200, List.of(), "");

  static boolean isInstalled() {
    return Programs.find("haproxy").isPresent();
  }

  /** A proxy that counts the requests per second, and adds headers to responses. */
  static HaProxy proxy(int originPort, BenchResponse additions) {
    return new HaProxy(
        "http_req_rate(1s)",
        "http-request deny deny_status 429 if { sc_http_req_rate(0) gt 1000000 }",
        originPort,
        additions);
  }

  /** A server that counts requests and responds itself. */
  static HaProxy responding(BenchResponse reply) {
    return new HaProxy(
        "http_req_rate(1s)", "http-request return status 200" + headers(reply), 1, NOTHING);
  }

  /** A proxy that denies all requests except the first. */
  static HaProxy denying(int originPort, BenchResponse denial) {
    String contentType =
        denial.headers().stream()
            .map(header -> header.split(": ", 2))
            .filter(header -> isContentType(header[0]))
            .map(header -> " content-type " + quoted(header[1]))
            .collect(Collectors.joining());
    String rule =
        "http-request return status 429%s string %s%s if { sc_http_req_cnt(0) gt 1 }"
            .formatted(contentType, quoted(denial.body()), headers(denial));
    return new HaProxy("http_req_cnt", rule, originPort, NOTHING);
  }

  private static String headers(BenchResponse reply) {
    return reply.headers().stream()
        .map(header -> header.split(": ", 2))
        .filter(header -> !isContentType(header[0]))
        .map(header -> " hdr " + header[0] + " " + quoted(header[1].replace("%", "%%")))
        .collect(Collectors.joining());
  }

  private static boolean isContentType(String name) {
    return name.toLowerCase(Locale.ROOT).equals("content-type");
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  List<String> command(int port) throws IOException {
    String added =
        additions.headers().stream()
            .map(header -> header.split(": ", 2))
            .map(
                header ->
                    "  http-response set-header %s %s"
                        .formatted(header[0], quoted(header[1].replace("%", "%%"))))
            .collect(Collectors.joining("\n"));
    Path config = Files.createTempFile("penstock-haproxy", ".cfg");
    config.toFile().deleteOnExit();
    Files.writeString(
        config,
        CONFIG
            .replace("PORT", "" + port)
            .replace("COUNTER", counter)
            .replace("RULES", rules)
            .replace("ADDITIONS", added)
            .replace("ORIGIN", "" + originPort));
    return List.of(
        Programs.find("haproxy").orElseThrow().toString(), "-db", "-f", config.toString());
  }
}
