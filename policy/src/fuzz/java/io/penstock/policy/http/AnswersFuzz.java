package io.penstock.policy.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Lines;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.io.IOException;

/**
 * Fuzzes explicit requests and the responses to them. Each line of the input is a letter and a
 * value, as {@link #apply} reads them; an empty line sends the request.
 */
public final class AnswersFuzz {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Policy POLICY =
      PolicyLoader.parse(
              """
              jwt: caller
              exempt: [{match: {"ip:address": 10.0.0.0/8}}]
              rules:
              - {name: "a; b=c", limit_keys: [user_id], match: {plan: pro}, rate: 2/s, burst: 5, group: user}
              - {name: others, limit_keys: ["user_id|ip:address"], rate: 7/min, burst: 3, group: user}
              - {name: keyed, limit_keys: ["header:k", "query:k", "cookie:k"], limits: [{rate: 1/s, burst: 2}, {rate: 9/h, burst: 9}]}
              - {name: insists, limit_keys: ["jwt:sub"], match: {path: /in*}, rate: 1/day, burst: 1, on_missing_key: deny}
              - {name: heavy, limit_keys: [], match: {host: "*.test"}, rate: 1000000/s, burst: 2000000, cost_source: "header:cost", default_cost: 0.001}
              - {name: held, limit_keys: [method], match: {path: /held}, rate: 3/s, burst: 1, on_limit: delay, max_delay_ms: 5000}
              - {name: log, limit_keys: [path], match: {method: POST}, algorithm: sliding_window_log, limit: 2, window: 10s}
              - {name: counter, limit_keys: [host], match: {method: PUT}, algorithm: sliding_window_counter, limit: 2, window: 10s}
              - {name: fixed, limit_keys: [path, host], match: {method: PUT}, algorithm: fixed_window, limit: 2, window: 10s}
              - {name: shade, limit_keys: ["ip:address"], rate: 1/s, burst: 1, mode: shadow}
              - {name: half, limit_keys: [tenant], rate: 1/s, burst: 1, enforce_percent: 50}
              """,
              "answers.yaml")
          .policy();

  private AnswersFuzz() {}

  /** Loads and instruments classes before the first input is timed. */
  public static void fuzzerInitialize() throws IOException {
    fuzzerTestOneInput("p/in\nhx\n\np/held\nmPUT\nhx.test\nC0\n\n".getBytes(UTF_8));
  }

  public static void fuzzerTestOneInput(byte[] input) throws IOException {
    Lines lines = Lines.of(input);
    ManualClock clock = new ManualClock();
    InProcessStore store = InProcessStore.builder().clock(clock).maxKeys(100).build();
    ExplicitRequest.Builder request = ExplicitRequest.builder();
    try (PolicyEngine engine = new PolicyEngine(store, POLICY)) {
      for (int i = 0; i < lines.count(); i++) {
        String line = lines.get(i);
        if (!line.isEmpty()) {
          apply(line.charAt(0), line.substring(1), request, clock);
          continue;
        }
        ExplicitRequest built = request.build();
        answers(engine.peek(built).toCompletableFuture().join());
        answers(engine.decide(built));
        engine.explain(built).toCompletableFuture().join();
        request = ExplicitRequest.builder();
      }
    }
  }

  private static void apply(
      char code, String text, ExplicitRequest.Builder request, ManualClock clock) {
    int equals = text.indexOf('=');
    String name = equals < 0 ? text : text.substring(0, equals);
    String value = equals < 0 ? "" : text.substring(equals + 1);
    switch (code) {
      case 'i' -> address(text, request);
      case 'm' -> request.method(text);
      case 'p' -> request.path(text);
      case 'h' -> request.host(text);
      case 'H' -> request.header(name, value);
      case 'q' -> request.query(name, value);
      case 'c' -> request.cookie(name, value);
      case 'j' -> request.claim(name, value);
      case 'a' -> request.attribute(name, value);
      case 'C' -> request.costThousandths(number(text));
      case 't' -> clock.advanceNanos(number(text) >> 8);
      default -> {}
    }
  }

  private static void address(String text, ExplicitRequest.Builder request) {
    IpAddress address = IpAddress.parse(text);
    if (address != null) {
      request.address(address);
    }
  }

  private static long number(String text) {
    try {
      return Math.max(0, Long.parseLong(text));
    } catch (NumberFormatException notOne) {
      return Long.MAX_VALUE;
    }
  }

  private static void answers(Verdict verdict) throws IOException {
    for (HeaderFormat form : HeaderFormat.values()) {
      VerdictResponses answers = new VerdictResponses(form, Jitter.DEFAULT);
      answers.headers(verdict, AnswersFuzz::header);
      check(answers.status(verdict) == (verdict.allowed() ? HttpAnswer.PASS : 429), "status");
      if (!verdict.allowed()) {
        JsonNode problem = JSON.readTree(answers.deny(verdict, (name, value) -> {}).body());
        check(problem.get("violated-policies").size() > 0, "violated-policies");
      }
    }
    JsonNode check = JSON.readTree(CheckJson.bytes(verdict));
    check(check.get("allowed").asBoolean() == verdict.allowed(), "allowed");
    check(check.get("limits").size() == verdict.outcomes().size(), "limits");
    check(check.get("retry_after_ms").asLong() >= 0, "retry_after_ms");
    check(check.get("reset_after_ms").asLong() >= 0, "reset_after_ms");
  }

  private static void header(String name, String value) {
    check(value.chars().allMatch(c -> c >= ' ' && c < 0x7f), name);
    switch (name) {
      case "RateLimit", "RateLimit-Policy" -> StructuredFields.parse(value);
      case "X-Penstock-Reason" -> check(value.matches("[a-z_]+"), name);
      default -> check(value.matches("[0-9]+"), name);
    }
  }

  private static void check(boolean holds, String description) {
    if (!holds) {
      throw new AssertionError(description);
    }
  }
}
