package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.http.Json;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.server.database.RuleDraft;
import io.penstock.server.database.RuleFile;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rules of a running server, accessed through its admin listener. */
final class ServerTarget implements RuleTarget {
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final int PAGE_SIZE = 1_000;
  private static final int MAX_PORT = 65_535;
  private static final String AUTHORIZATION = "Authorization";
  private static final String BEARER = "Bearer ";

  private final HttpClient client = HttpClient.newHttpClient();
  private final URI server;
  private final Optional<String> token;

  /**
   * @param server the base URL of the admin listener, without an {@link #addressError}
   * @param token the access token, without a {@link #tokenError}
   */
  ServerTarget(URI server, Optional<String> token) {
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

  /** A rule and its position. */
  private record PositionedRule(long order, boolean forAll, long id, Node rule) {
    static final Comparator<PositionedRule> COMPARATOR =
        Comparator.comparingLong(PositionedRule::order)
            .thenComparing(PositionedRule::forAll)
            .thenComparingLong(PositionedRule::id);
  }

  @Override
  public List<Node> rules() {
    List<PositionedRule> rules = new ArrayList<>();
    String after = "0";
    while (after != null) {
      Fields page = send("GET", "/v1/rules?limit=" + PAGE_SIZE + "&after=" + after, "");
      for (Located<Node> item : list(page, "rules")) {
        add(item, rules);
      }
      after = page.given("next") ? page.text("next") : null;
    }
    return rules.stream().sorted(PositionedRule.COMPARATOR).map(PositionedRule::rule).toList();
  }

  private static void add(Located<Node> item, List<PositionedRule> rules) {
    Fields stored = fields(item);
    Node rule = stored.node("rule");
    if (rule instanceof Node.Mapping mapping && stored.flag("active")) {
      Node.NodeField match = mapping.entries().get("match");
      boolean forAll =
          match == null
              || !(match.value() instanceof Node.Mapping conditions
                  && conditions.entries().containsKey("plan"));
      rules.add(
          new PositionedRule(number(stored, "tier_order"), forAll, number(stored, "id"), rule));
    }
  }

  @Override
  public List<String> put(List<RuleDraft> drafts, boolean alone, boolean dryRun) {
    List<Node> rules = drafts.stream().map(draft -> draft.rule().value()).toList();
    byte[] body =
        Json.bytes(
            json -> {
              json.writeStartObject();
              json.writeBooleanField("alone", alone);
              RuleFile.write(rules, json);
              json.writeEndObject();
            });
    Fields response = send("PUT", "/v1/rules?dry_run=" + dryRun, new String(body, UTF_8));
    return list(response, "changes").stream()
        .map(change -> RuleChangeText.of(change.value()))
        .toList();
  }

  private Fields send(String method, String path, String body) {
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
      throw new FailedException("cannot reach " + server + ": " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new FailedException("interrupted");
    }
    Problems problems = new Problems();
    Node document = Document.parse(response.body(), "response.json", problems);
    if (document == null) {
      throw new FailedException(server + " responded with status " + response.statusCode());
    }
    Fields fields = fields(new Located<>(document, document.at(), ""));
    if (response.statusCode() >= 300) {
      throw new FailedException(errorText(fields));
    }
    return fields;
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

  private static long number(Fields fields, String name) {
    Long number = fields.number(name, value -> value.longValueExact());
    return number == null ? 0 : number;
  }

  private static List<Located<Node>> list(Fields fields, String name) {
    @Nullable List<Located<Node>> list = fields.list(name);
    return list == null ? List.of() : list;
  }

  private static Fields fields(Located<Node> node) {
    Fields fields = Fields.of(node, new Problems());
    if (fields == null) {
      throw new FailedException("unexpected response: not a JSON object");
    }
    return fields;
  }

  @Override
  public void close() {}
}
