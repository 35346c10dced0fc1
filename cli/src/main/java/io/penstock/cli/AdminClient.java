package io.penstock.cli;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sends requests to the admin listener of a running server. Thread-safe. */
final class AdminClient {
  /** The variable with the token. */
  static final String TOKEN_VARIABLE = "PENSTOCK_ADMIN_TOKEN";

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int MAX_PORT = 65_535;
  private static final String AUTHORIZATION = "Authorization";
  private static final String BEARER = "Bearer ";

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI server;
  private final Optional<String> token;

  /** A successful response: the body as text, and its fields. */
  record AdminResponse(String text, Fields fields) {}

  /**
   * @param server the base URL of the admin listener, without an {@link #addressError}
   * @param token the access token, without a {@link #tokenError}
   */
  AdminClient(URI server, Optional<String> token) {
    this.server = server;
    this.token = token;
  }

  /** Returns what is wrong with the URL of a server; null if it is valid. */
  static @Nullable String addressError(URI server) {
    boolean valid =
        ("http".equalsIgnoreCase(server.getScheme())
                || "https".equalsIgnoreCase(server.getScheme()))
            && server.getHost() != null
            && server.getPort() <= MAX_PORT
            && server.getRawQuery() == null
            && server.getRawFragment() == null;
    return valid ? null : "must be a URL such as http://localhost:9090: " + server;
  }

  /** Returns what is wrong with a token, without the token itself; null if it is valid. */
  static @Nullable String tokenError(String token) {
    try {
      HttpRequest.newBuilder().header(AUTHORIZATION, BEARER + token);
      return null;
    } catch (IllegalArgumentException e) {
      return "must not contain line breaks or other characters that are not allowed in a header";
    }
  }

  /**
   * Sends a request.
   *
   * @param body the body; empty for none
   * @throws RuleTarget.FailedException if the server is unreachable or rejects the request
   */
  AdminResponse send(String method, String path, String body) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(at(path))
            .timeout(TIMEOUT)
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    token.ifPresent(secret -> request.header(AUTHORIZATION, BEARER + secret));
    HttpResponse<String> response;
    try {
      response = client.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new RuleTarget.FailedException("cannot reach " + server + ": " + reason(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RuleTarget.FailedException("interrupted");
    }
    Problems problems = new Problems();
    Node document = Document.parse(response.body(), "response.json", problems);
    if (document == null) {
      throw new RuleTarget.FailedException(
          server + " responded with status " + response.statusCode());
    }
    Fields fields = fields(new Located<>(document, document.at(), ""));
    if (response.statusCode() >= 300) {
      throw new RuleTarget.FailedException(errorText(fields));
    }
    return new AdminResponse(response.body(), fields);
  }

  /** A refused connection has no message. */
  private static String reason(IOException failure) {
    String message = failure.getMessage();
    return message != null
        ? message
        : failure instanceof ConnectException ? "connection refused" : failure.toString();
  }

  /** Appends a path to the base URL, which may have a path of its own when a proxy is in front. */
  private URI at(String path) {
    String base = server.toString();
    return URI.create((base.endsWith("/") ? base.substring(0, base.length() - 1) : base) + path);
  }

  private static String errorText(Fields problem) {
    StringBuilder text = new StringBuilder(String.valueOf(problem.text("detail")));
    for (Located<Node> item : list(problem, "errors")) {
      Fields error = fields(item);
      text.append('\n').append(error.text("field")).append(": ").append(error.text("message"));
    }
    return text.toString();
  }

  static long number(Fields fields, String name) {
    Long number = fields.number(name, value -> value.longValueExact());
    return number == null ? 0 : number;
  }

  static List<Located<Node>> list(Fields fields, String name) {
    @Nullable List<Located<Node>> list = fields.list(name);
    return list == null ? List.of() : list;
  }

  static Fields fields(Located<Node> node) {
    Fields fields = Fields.of(node, new Problems());
    if (fields == null) {
      throw new RuleTarget.FailedException("unexpected response: not a JSON object");
    }
    return fields;
  }
}
