package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.Reason;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.HttpRequest;
import io.penstock.policy.http.RequestLine;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests whose tokens can't be verified are decided by the failure policy. */
class KeysUnavailableTest {
  private static final String TOKEN = SignedTokens.rs256(SignedTokens.RSA, "{\"sub\":\"alice\"}");
  private static final String A = "203.0.113.1";
  private static final String B = "203.0.113.2";

  private final KeyEvents events = new KeyEvents();
  private KeyServer server;
  private @Nullable PolicyEngine engine;

  @BeforeEach
  void start() throws IOException {
    server = new KeyServer(SignedTokens.jwks(SignedTokens.RSA));
    server.answerWith(503);
  }

  @AfterEach
  void stop() {
    if (engine != null) {
      engine.close();
    }
    server.close();
  }

  private PolicyEngine engine(String rules) {
    String url = server.source(Duration.ofMinutes(1)).url().toString();
    String text = "jwt: {jwks_url: '" + url + "'}\n" + rules;
    engine =
        new PolicyEngine(
            InProcessStore.builder().clock(new ManualClock()).build(),
            PolicyLoader.parse(text, "p.yaml").policy(),
            PolicyObserver.NONE,
            events);
    return engine;
  }

  private static Verdict decide(PolicyEngine engine, @Nullable String ip, @Nullable String token) {
    return engine.decide(request(engine, ip, token));
  }

  private static HttpRequest request(
      PolicyEngine engine, @Nullable String ip, @Nullable String token) {
    Map<String, String> headers = token == null ? Map.of() : Map.of("authorization", token);
    IpAddress address = ip == null ? null : IpAddress.parse(ip);
    return new HttpRequest(address, RequestLine.of("GET", "/", "host"), headers::get, engine.jwt());
  }

  private static Reason reason(Verdict verdict) {
    return verdict.decisive().orElseThrow().decision().reason().orElseThrow();
  }

  @Test
  void decide_openRule_isSkippedAndLabelled() {
    PolicyEngine open =
        engine("rules: [{name: a, limit_keys: ['jwt:sub'], rate: 1/h, on_store_failure: open}]");
    for (int i = 0; i < 5; i++) {
      Verdict verdict = decide(open, A, TOKEN);
      assertThat(verdict.allowed()).isTrue();
      assertThat(verdict.degraded()).isTrue();
      assertThat(reason(verdict)).isEqualTo(Reason.JWT_KEYS_UNAVAILABLE);
    }
    assertThat(open.decideAsync(request(open, A, TOKEN)).toCompletableFuture().join().degraded())
        .isTrue();
  }

  @Test
  void decide_closedRule_deniesAsUnavailable() {
    PolicyEngine closed =
        engine("rules: [{name: a, limit_keys: ['jwt:sub'], rate: 9/s, on_store_failure: closed}]");

    for (Verdict verdict :
        new Verdict[] {
          decide(closed, A, TOKEN),
          closed.decideAsync(request(closed, A, TOKEN)).toCompletableFuture().join()
        }) {
      assertThat(verdict.allowed()).isFalse();
      assertThat(verdict.degraded()).isTrue();
      assertThat(reason(verdict)).isEqualTo(Reason.JWT_KEYS_UNAVAILABLE);
      assertThat(reason(verdict).isUnavailable()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"'jwt:sub'", "'jwt:sub|header:x-user'", "'jwt:sub|ip:address'"})
  void decide_localRule_limitsByAddress(String key) {
    PolicyEngine local =
        engine("rules: [{name: a, limit_keys: [" + key + "], rate: 1/h, on_store_failure: local}]");

    for (String ip : new String[] {A, B, null}) {
      assertThat(decide(local, ip, TOKEN).allowed()).isTrue();
      Verdict denied = decide(local, ip, TOKEN);
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.degraded()).isTrue();
      assertThat(reason(denied)).isEqualTo(Reason.TOKEN_BUCKET_EXCEEDED);
    }
  }

  @Test
  void decide_noTokenOrAnInvalidOne_isUnaffected() {
    PolicyEngine closed =
        engine("rules: [{name: a, limit_keys: ['jwt:sub'], rate: 1/h, on_store_failure: closed}]");
    String expired = SignedTokens.rs256(SignedTokens.RSA, "{\"exp\":1}");

    assertThat(decide(closed, A, null).allowed()).isTrue();
    assertThat(decide(closed, B, expired).allowed()).isFalse();
    assertThat(decide(closed, B, expired).degraded()).isFalse();
    assertThat(decide(closed, A, "Bearer x.y.z").degraded()).isFalse();
  }

  @Test
  void decide_tiersByClaim_takesTheOneThatIsCertain() {
    PolicyEngine tiers =
        engine(
            """
            rules:
              - {name: pro, limit_keys: ['ip:address'], match: {'jwt:plan': pro}, rate: 100/h}
              - {name: others, limit_keys: ['ip:address'], rate: 2/h, on_store_failure: open}
            """);

    for (int i = 0; i < 3; i++) {
      Verdict verdict = decide(tiers, A, TOKEN);
      assertThat(verdict.decisive().orElseThrow().rule().name()).isEqualTo("others");
      assertThat(verdict.allowed()).isEqualTo(i < 2);
      assertThat(verdict.degraded()).isTrue();
    }
    assertThat(decide(tiers, B, null).degraded()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20})
  void decide_onlyTiersByClaim_takesTheLast(int plans) {
    StringBuilder rules = new StringBuilder("rules:\n");
    for (int i = 0; i < plans; i++) {
      String policy = i == plans - 1 ? "local" : "closed";
      rules.append("  - {name: p").append(i).append(", limit_keys: ['ip:address'], match: ");
      rules.append("{'jwt:plan': plan-").append(i).append("}, rate: ").append(plans - i);
      rules.append("/h, on_store_failure: ").append(policy).append("}\n");
    }
    PolicyEngine tiers = engine(rules.toString());

    assertThat(decide(tiers, A, TOKEN).allowed()).isTrue();
    Verdict denied = decide(tiers, A, TOKEN);
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.decisive().orElseThrow().rule().name()).isEqualTo("p" + (plans - 1));
    assertThat(decide(tiers, A, null)).isEqualTo(Verdict.UNLIMITED);
  }

  @Test
  void decide_exemptByClaim_isNotExempt() {
    PolicyEngine closed =
        engine(
            """
            exempt: [{match: {'jwt:sub': alice}}]
            rules: [{name: a, limit_keys: ['jwt:sub'], rate: 9/s, on_store_failure: closed}]
            """);

    assertThat(decide(closed, A, TOKEN).allowed()).isFalse();
  }

  @Test
  void decide_severalRules_othersStillCount() {
    PolicyEngine several =
        engine(
            """
            rules:
              - {name: user, limit_keys: ['jwt:sub'], rate: 9/s, on_store_failure: open}
              - {name: all, limit_keys: [], rate: 1/h}
            """);

    Verdict first = decide(several, A, TOKEN);
    assertThat(first.allowed()).isTrue();
    assertThat(first.outcomes()).hasSize(2);
    assertThat(first.degraded()).isTrue();
    assertThat(decide(several, A, TOKEN).decisive().orElseThrow().rule().name()).isEqualTo("all");
  }

  @Test
  void explain_unverifiable_isReported() {
    PolicyEngine local =
        engine("rules: [{name: a, limit_keys: ['jwt:sub'], rate: 1/h, on_store_failure: local}]");

    assertThat(
            local
                .explain(request(local, A, TOKEN))
                .toCompletableFuture()
                .join()
                .findings()
                .get(0)
                .why())
        .contains("the token can't be verified");
  }

  @Test
  void decide_keysAreBack_countsByClaimsAgain() {
    PolicyEngine closed =
        engine("rules: [{name: a, limit_keys: ['jwt:sub'], rate: 9/s, on_store_failure: closed}]");
    assertThat(decide(closed, A, TOKEN).allowed()).isFalse();
    assertThat(events.messages)
        .singleElement()
        .asString()
        .contains("failing: ", "status 503", "no token can be verified");

    server.answerWith(200);

    await().atMost(Duration.ofMinutes(1)).until(() -> !decide(closed, A, TOKEN).degraded());
    assertThat(events.messages)
        .last()
        .asString()
        .startsWith("working: token keys are fetched from ");
    assertThat(closed.jwt().status()).isEqualTo(new JwtVerifier.Status(1, null));
  }
}
