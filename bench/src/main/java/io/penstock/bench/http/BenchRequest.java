package io.penstock.bench.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The requests of the benchmarks. */
@SuppressWarnings("ImmutableEnumChecker") // The lists are immutable.
enum BenchRequest {
  FORWARD_AUTH(
      "/v1/forward-auth",
      "GET",
      List.of(
          "X-Original-Method: GET",
          "X-Original-URI: /search?q=tea",
          "X-Forwarded-For: 203.0.113.7"),
      ""),
  CHECK(
      "/v1/check",
      "POST",
      List.of("Content-Type: application/json"),
      "{\"ip\":\"203.0.113.7\",\"method\":\"GET\",\"path\":\"/search\"}"),
  /** A request to an origin behind a proxy. */
  PROXIED("/search?q=tea", "GET", List.of(), ""),
  /** The same, with an exhausted limit. */
  DENIED("/search?q=tea", "GET", List.of(), ""),
  /** A request to a controller of an application. */
  CONTROLLER("/tea", "GET", List.of(), "");

  final String path;
  final String method;
  final List<String> headers;
  final String body;

  BenchRequest(String path, String method, List<String> headers, String body) {
    this.path = path;
    this.method = method;
    this.headers = headers;
    this.body = body;
  }

  /** Sends the request once. */
  BenchResponse send(int port) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .version(HttpClient.Version.HTTP_1_1)
            .method(method, HttpRequest.BodyPublishers.ofString(body));
    headers.forEach(header -> request.header(header.split(": ", 2)[0], header.split(": ", 2)[1]));
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    List<String> fields =
        response.headers().map().entrySet().stream()
            .filter(header -> !header.getKey().toLowerCase(Locale.ROOT).equals("content-length"))
            .flatMap(
                header -> header.getValue().stream().map(value -> header.getKey() + ": " + value))
            .collect(Collectors.toList());
    return new BenchResponse(response.statusCode(), fields, response.body());
  }

  /** Returns the request as it is sent. */
  String bytes() {
    String length = body.isEmpty() ? "" : "Content-Length: " + body.length() + "\r\n";
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\n"
        + String.join("\r\n", headers)
        + "\r\n"
        + length
        + "\r\n"
        + body;
  }

  @Override
  public String toString() {
    return switch (this) {
      case FORWARD_AUTH, CHECK, CONTROLLER -> method + " " + path;
      case PROXIED -> "through a proxy";
      case DENIED -> "denied by a proxy";
    };
  }

  /** A response, for servers that send the same without a decision. */
  record BenchResponse(int status, List<String> headers, String body) {
    /** Returns this response without headers whose names another response has. */
    BenchResponse without(BenchResponse other) {
      List<String> more =
          headers.stream().filter(header -> !other.names().contains(name(header))).toList();
      return new BenchResponse(status, more, body);
    }

    /** Returns the names of the headers in lower case. */
    Set<String> names() {
      return headers.stream().map(BenchResponse::name).collect(Collectors.toSet());
    }

    private static String name(String header) {
      return header.split(": ", 2)[0].toLowerCase(Locale.ROOT);
    }
  }
}
