package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** From an HTTP request to a verdict: tokens, addresses and modes together. */
class HttpVerdictTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String OTHER_SECRET = "fedcba9876543210fedcba9876543210";
  private static final IpAddress PEER = IpAddress.parse("192.0.2.1");

  private final ManualClock clock = new ManualClock();
  private final List<Outcome> observed = new ArrayList<>();

  private PolicyEngine engine(String policy) {
    PolicyObserver observer = observed::add;
    return new PolicyEngine(
        InProcessStore.builder().clock(clock).build(),
        PolicyLoader.parse(policy, "p.yaml").policy(),
        observer);
  }

  @Test
  void decide_tiersByPlan_countOnlyTokensThatVerify() throws JOSEException {
    PolicyEngine engine =
        engine(
            """
            jwt: {secret: %s}
            rules:
              - name: enterprise
                limit_keys: ["header:x-api-key"]
                algorithm: token_bucket
                algorithm_config: {rps: 1000, burst: 2000}
                match: {"jwt:plan": enterprise}
              - name: free
                limit_keys: ["header:x-api-key"]
                algorithm: token_bucket
                algorithm_config: {rps: 10, burst: 20}
            """
                .formatted(SECRET));
    Date later = Date.from(Instant.now().plusSeconds(600));
    Date past = Date.from(Instant.now().minusSeconds(600));

    assertThat(granted(engine, "e", "Bearer " + token(SECRET, later))).isEqualTo(2_000);
    clock.advance(Duration.ofMillis(100));
    assertThat(granted(engine, "e", "Bearer " + token(SECRET, later))).isEqualTo(100);
    assertThat(granted(engine, "f", null)).isEqualTo(20);
    clock.advance(Duration.ofMillis(100));
    assertThat(granted(engine, "f", null)).isEqualTo(1);
    String none = new PlainJWT(claims(later)).serialize();
    for (String bad : List.of(token(OTHER_SECRET, later), token(SECRET, past), none, "x.y.z")) {
      assertThat(granted(engine, bad.substring(bad.length() - 5), "Bearer " + bad)).isEqualTo(20);
    }
  }

  /** Returns how many of 3,000 simultaneous requests are allowed. */
  private static int granted(PolicyEngine engine, String apiKey, String authorization) {
    Map<String, String> headers =
        authorization == null
            ? Map.of("x-api-key", apiKey)
            : Map.of("x-api-key", apiKey, "authorization", authorization);
    int granted = 0;
    for (int i = 0; i < 3_000; i++) {
      granted += request(engine, PEER, headers).allowed() ? 1 : 0;
    }
    return granted;
  }

  @Test
  void decide_forwardedFor_countsFromTrustedProxiesOnly() {
    PolicyEngine engine =
        engine(
            """
            client_address: {trusted_proxies: [10.0.0.0/8]}
            rules:
              - {name: per-ip, limit_keys: ["ip:address"], rate: 1/min, burst: 1}
            """);
    IpAddress proxy = IpAddress.parse("10.1.2.3");
    assertThat(request(engine, PEER, forwarded("203.0.113.1")).allowed()).isTrue();
    assertThat(request(engine, PEER, forwarded("203.0.113.2")).allowed()).as("spoofed").isFalse();
    assertThat(request(engine, proxy, forwarded("203.0.113.3")).allowed()).isTrue();
    assertThat(request(engine, proxy, forwarded("203.0.113.3")).allowed()).isFalse();
    assertThat(request(engine, proxy, forwarded("198.51.100.9, 203.0.113.3, 10.9.9.9")).allowed())
        .as("the hop that the proxies saw")
        .isFalse();
    assertThat(request(engine, proxy, forwarded("203.0.113.4")).allowed()).isTrue();
  }

  @Test
  void decide_enforcedBesideShadow_followsTheFirstAndCountsBoth() {
    PolicyEngine engine =
        engine(
            """
            rules:
              - {name: now, limit_keys: ["ip:address"], rate: 100/s, burst: 100}
              - {name: tried, limit_keys: ["ip:address"], rate: 50/s, burst: 50, mode: shadow}
            """);
    int allowed = 0;
    for (int i = 0; i < 150; i++) {
      allowed += request(engine, PEER, Map.of()).allowed() ? 1 : 0;
    }
    assertThat(allowed).isEqualTo(100);
    assertThat(count(Mode.ENFORCE, true)).isEqualTo(100);
    assertThat(count(Mode.ENFORCE, false)).isEqualTo(50);
    assertThat(count(Mode.SHADOW, true)).isEqualTo(50);
    assertThat(count(Mode.SHADOW, false)).as("only of those that passed").isEqualTo(50);
  }

  private long count(Mode mode, boolean allowed) {
    return observed.stream()
        .filter(outcome -> outcome.mode() == mode && outcome.decision().allowed() == allowed)
        .count();
  }

  private static Verdict request(PolicyEngine engine, IpAddress peer, Map<String, String> headers) {
    RequestLine line = RequestLine.of("GET", "/", "example.org");
    Gate gate = new Gate(engine, new VerdictResponses(HeaderFormat.ALL, Jitter.NONE));
    return gate.decide(
        gate.request(peer, line, headers::get, CallerAttributes.NOTHING), Phase.WHOLE);
  }

  private static Map<String, String> forwarded(String hops) {
    return Map.of("x-forwarded-for", hops);
  }

  private static String token(String secret, Date expires) throws JOSEException {
    SignedJWT jwt = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims(expires));
    jwt.sign(new MACSigner(secret));
    return jwt.serialize();
  }

  private static JWTClaimsSet claims(Date expires) {
    return new JWTClaimsSet.Builder().claim("plan", "enterprise").expirationTime(expires).build();
  }
}
