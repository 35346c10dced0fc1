package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Rule;
import io.penstock.policy.http.Json;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The policy that {@code penstock init} writes, with cases that test it. Immutable.
 *
 * @param header the header with the API key
 * @param jwksUrl the URL of the keys that verify tokens
 * @param burst as in a policy; empty for the default
 * @param paths patterns; empty for all paths
 */
record NewPolicy(
    CallerIdentity caller,
    String header,
    String jwksUrl,
    String rate,
    String burst,
    List<String> paths) {
  private static final String RULE = "callers";
  private static final String ELSEWHERE = "/not-limited";
  private static final int TOKEN = 1_000;

  /** How many callers with full use an address may have. */
  private static final int ADDRESS_FACTOR = 10;

  private static final Pattern NUMBER =
      Pattern.compile("([0-9]{1,15}(?:\\.[0-9]{1,9})?)([/0-9a-z]*)");

  /** What identifies a caller. */
  enum CallerIdentity {
    ADDRESS,
    API_KEY,
    JWT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  NewPolicy {
    header = header.toLowerCase(Locale.ROOT);
    paths = List.copyOf(paths);
  }

  /** Returns the policy as YAML. It may be invalid; see {@link #rule}. */
  String text() {
    StringBuilder text = new StringBuilder("# docs/policy.md describes all fields.\n");
    if (caller == CallerIdentity.JWT) {
      text.append("jwt:\n  jwks_url: ").append(quoted(jwksUrl)).append('\n');
    }
    text.append("rules:\n  - name: ").append(RULE).append('\n');
    switch (caller) {
      case ADDRESS -> text.append("    limit_keys: [\"ip:address\"]\n");
      case API_KEY ->
          text.append("    # The API key, or the address if a request has none.\n    limit_keys: [")
              .append(quoted("header:" + header + "|ip:address"))
              .append("]\n");
      case JWT ->
          text.append("    # The user, or the address if a request has no valid token.\n")
              .append("    limit_keys: [\"jwt:sub|ip:address\"]\n");
    }
    appendMatch(text);
    appendLimit(1, text);
    if (caller == CallerIdentity.API_KEY) {
      text.append("  # Clients can invent keys; this limits all keys of an address together.\n");
      text.append("  - name: addresses\n    limit_keys: [\"ip:address\"]\n");
      appendMatch(text);
      appendLimit(ADDRESS_FACTOR, text);
    }
    return text.toString();
  }

  private void appendMatch(StringBuilder text) {
    if (!paths.isEmpty()) {
      text.append("    match: {path: [")
          .append(paths.stream().map(NewPolicy::quoted).collect(Collectors.joining(", ")))
          .append("]}\n");
    }
  }

  private void appendLimit(int factor, StringBuilder text) {
    text.append("    rate: ").append(times(factor, rate)).append('\n');
    if (!burst.isEmpty()) {
      text.append("    burst: ").append(times(factor, burst)).append('\n');
    }
  }

  /** Multiplies the number at the beginning of a value. */
  private static String times(int factor, String value) {
    Matcher number = NUMBER.matcher(value);
    return number.matches()
        ? new BigDecimal(number.group(1)).multiply(BigDecimal.valueOf(factor)).toPlainString()
            + number.group(2)
        : quoted(value);
  }

  /**
   * Returns the rule of the policy.
   *
   * @param file the name of the policy in errors
   * @throws PolicyException if an answer is invalid
   */
  Rule rule(String file) {
    return PolicyLoader.parse(text(), file).policy().rules().get(0);
  }

  /** Returns cases that the policy passes. The policy must be valid. */
  String cases(String policyFile) {
    Rule rule = rule(policyFile);
    long burstTokens = rule.limits().get(0).burstThousandths() / TOKEN;
    String denied = "expect: {allowed: false, rule: " + RULE + "}";
    String allowed = "expect: {allowed: true, rule: " + RULE + "}";
    StringBuilder text = new StringBuilder("policy: ").append(quoted(policyFile)).append('\n');
    text.append(
        "cases:\n  - name: a caller can send a burst, and other callers are not affected\n");
    text.append("    requests:\n");
    text.append("      - {request: ").append(request(0)).append(", times: ").append(burstTokens);
    text.append(", ").append(allowed).append("}\n");
    text.append("      - {request: ").append(request(0)).append(", ").append(denied).append("}\n");
    text.append("      - {request: ").append(request(1)).append(", ").append(allowed).append("}\n");
    if (!rule.match().accepts(ExplicitRequest.builder().path(ELSEWHERE).build())) {
      text.append(
          "  - name: other paths are not limited\n    requests:\n      - {request: {path: ");
      text.append(ELSEWHERE).append("}, expect: {allowed: true, rules: []}}\n");
    }
    return text.toString();
  }

  private String request(int callerNumber) {
    String name = callerNumber == 0 ? "alice" : "bob";
    String identity =
        switch (caller) {
          case ADDRESS -> "ip: 192.0.2." + (callerNumber + 1);
          case API_KEY -> "headers: {" + quoted(header) + ": " + name + "-key}";
          case JWT -> "jwt: {sub: " + name + "}";
        };
    String path = paths.isEmpty() ? "" : ", path: " + quoted(paths.get(0).replace("*", "example"));
    return "{" + identity + path + "}";
  }

  /** Returns a JSON string, which YAML parsers read, too. */
  private static String quoted(String text) {
    return new String(Json.bytes(json -> json.writeString(text)), UTF_8);
  }
}
