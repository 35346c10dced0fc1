package io.penstock.policy.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Condition;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Request;
import io.penstock.policy.Rule;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Fuzzes the loader. Any text is either rejected with reasons, or can be applied as a policy. */
public final class LoaderFuzz {
  private static final int MAX_REQUESTS = 5;

  private LoaderFuzz() {}

  /** Loads and instruments classes before the first input is timed. */
  public static void fuzzerInitialize() {
    fuzzerTestOneInput("{\"name\": \"r\", \"limit_keys\": [], \"rate\": \"1/s\"}".getBytes(UTF_8));
  }

  public static void fuzzerTestOneInput(byte[] input) {
    String text = new String(input, UTF_8);
    apply(loaded(text, "policy.yaml"));
    apply(loaded(text, "policy.json"));
  }

  private static @Nullable Policy loaded(String text, String name) {
    try {
      return PolicyLoader.parse(text, name).policy();
    } catch (PolicyException rejected) {
      if (rejected.problems().isEmpty()) {
        throw new AssertionError("rejected without a reason", rejected);
      }
      return null;
    }
  }

  /**
   * Applies a policy without its tokens, because keys are read from files or fetched from
   * elsewhere.
   */
  private static void apply(@Nullable Policy loaded) {
    if (loaded == null) {
      return;
    }
    Policy policy = loaded.withJwt(JwtSettings.NONE);
    ManualClock clock = new ManualClock();
    InProcessStore store = InProcessStore.builder().clock(clock).maxKeys(100).build();
    try (PolicyEngine engine = new PolicyEngine(store, policy)) {
      ask(engine, ExplicitRequest.builder().build());
      for (int i = 0; i < Math.min(MAX_REQUESTS, policy.rules().size()); i++) {
        ask(engine, meeting(policy.rules().get(i)));
        clock.advance(Duration.ofMillis(700));
        engine.replace(policy);
        ask(engine, meeting(policy.rules().get(i)));
      }
    }
  }

  private static void ask(PolicyEngine engine, Request request) {
    engine.decide(request);
    engine.peek(request).toCompletableFuture().join();
    engine.decideAsync(request).toCompletableFuture().join();
    engine.explain(request).toCompletableFuture().join();
  }

  /** Returns a request that the rule applies to, as far as one is easy to find. */
  private static Request meeting(Rule rule) {
    ExplicitRequest.Builder request = ExplicitRequest.builder().ip("192.0.2.1").path("/").host("a");
    rule.limitKeys().forEach(part -> state(request, part.toString(), "1"));
    for (Condition condition : rule.match().conditions()) {
      state(request, condition.subject().toString(), value(condition));
    }
    return request.build();
  }

  private static String value(Condition condition) {
    if (condition instanceof Condition.OneOf oneOf) {
      return oneOf.values().iterator().next();
    }
    if (condition instanceof Condition.Like like) {
      return like.patterns().get(0).text().replace("*", "x");
    }
    return ((Condition.Within) condition).networks().get(0).address().toString();
  }

  private static void state(ExplicitRequest.Builder request, String subject, String value) {
    String attribute = subject.split("\\|", -1)[0];
    String name = attribute.substring(attribute.indexOf(':') + 1);
    switch (attribute.substring(0, attribute.length() - name.length())) {
      case "ip:" -> request.ip(value.equals("1") ? "2001:db8::1" : value);
      case "header:" -> request.header(name, value);
      case "query:" -> request.query(name, value);
      case "cookie:" -> request.cookie(name, value);
      case "jwt:" -> request.claim(name, value);
      default -> stateOther(request, attribute, value);
    }
  }

  private static void stateOther(ExplicitRequest.Builder request, String attribute, String value) {
    switch (attribute) {
      case "path" -> request.path(value);
      case "method" -> request.method(value);
      case "host" -> request.host(value);
      default -> request.attribute(attribute, value);
    }
  }
}
