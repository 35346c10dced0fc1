package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import io.penstock.policy.jwt.JwtVerifier.Status;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JwksUrlTest {
  private static final String ALICE = "{\"sub\":\"alice\"}";
  private static final Duration REFRESH = Duration.ofMinutes(5);
  private static final String OLD = SignedTokens.rs256(SignedTokens.RSA, ALICE);
  private static final String NEW = SignedTokens.rs256(SignedTokens.OTHER_RSA, ALICE);

  private final AtomicLong nowMillis = new AtomicLong(SignedTokens.NOW_SECONDS * 1000);
  private final InstantSource clock = () -> Instant.ofEpochMilli(nowMillis.get());

  private final KeyEvents events = new KeyEvents();
  private KeyServer server;
  private IssuerKeys keys;
  private JwtVerifier verifier;

  @BeforeEach
  void start() throws IOException {
    server = new KeyServer(SignedTokens.jwks(SignedTokens.RSA));
    KeySource.JwksUrl source = server.source(REFRESH);
    keys = KeyRing.keys(source, clock, Runnable::run, events);
    verifier = new JwtVerifier(JwtSettings.verifying(source), clock, KeyRing.of(keys));
    keys.refreshIfDue();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void claims_keyInTheSet_areAccepted() {
    assertThat(verifier.claims(OLD)).containsEntry("sub", "alice");
    assertThat(verifier.status()).isEqualTo(new Status(1, null));
    assertThat(server.requests()).isEqualTo(1);
  }

  @Test
  void claims_rotatedKey_areAcceptedAfterOneRefresh() {
    server.serve(SignedTokens.jwks(SignedTokens.RSA, SignedTokens.OTHER_RSA));

    assertThat(verifier.claims(NEW)).isEmpty();
    assertThat(verifier.claims(NEW)).isNotEmpty();
    assertThat(verifier.claims(OLD)).isNotEmpty();
    assertThat(server.requests()).isEqualTo(2);
  }

  @Test
  void claims_unknownKeys_refreshOnceInTenSeconds() {
    for (int i = 0; i < 50; i++) {
      assertThat(verifier.claims(forged("unknown-" + i))).isEmpty();
    }
    assertThat(server.requests()).isEqualTo(2);

    nowMillis.addAndGet(9_999);
    assertThat(verifier.claims(forged("again"))).isEmpty();
    assertThat(server.requests()).isEqualTo(2);

    nowMillis.addAndGet(1);
    assertThat(verifier.claims(forged("again"))).isEmpty();
    assertThat(verifier.claims(forged("and again"))).isEmpty();
    assertThat(server.requests()).isEqualTo(3);
  }

  @Test
  void claims_knownKeyOrAlgorithmNotPinned_neverRefresh() {
    assertThat(verifier.claims(SignedTokens.rs256(withId("rsa-1"), ALICE))).isEmpty();
    assertThat(verifier.claims(SignedTokens.rsa(JWSAlgorithm.RS512, withId("unknown"), ALICE)))
        .isEmpty();
    assertThat(verifier.claims(SignedTokens.hs256(ALICE))).isEmpty();

    assertThat(server.requests()).isEqualTo(1);
  }

  @Test
  void claims_serverDown_useTheLastSet() {
    server.close();
    nowMillis.addAndGet(REFRESH.toMillis());
    keys.refreshIfDue();

    assertThat(verifier.claims(OLD)).isNotEmpty();
    assertThat(verifier.claims(NEW)).isEmpty();
    assertThat(verifier.status().keys()).isEqualTo(1);
    assertThat(verifier.status().lastFailure()).contains("no response");
  }

  @Test
  void under_otherSettingsWhileTheServerIsDown_hasTheSameKeys() throws IOException {
    KeySource.JwksUrl source = server.source(REFRESH);
    JwtSettings lenient =
        new JwtSettings(
            JwtSettings.Trust.VERIFY,
            source,
            source.defaultAlgorithms(),
            null,
            List.of(),
            Duration.ofMinutes(1));
    server.close();

    JwtVerifier other = verifier.under(lenient, 64);
    verifier.closeUnlessShared(other);

    assertThat(other.claims(OLD)).containsEntry("sub", "alice");
    assertThat(other.status()).isEqualTo(new Status(1, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[]",
        "nonsense",
        "{\"keys\":[]}",
        "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAAA\"}]}"
      })
  void refresh_notAKeySet_leavesTheLastSet(String body) {
    server.serve(body);
    nowMillis.addAndGet(REFRESH.toMillis());
    keys.refreshIfDue();

    assertThat(server.requests()).isEqualTo(2);
    assertThat(verifier.claims(OLD)).isNotEmpty();
    assertThat(verifier.status().lastFailure()).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {302, 404, 500, 503})
  void refresh_otherStatus_leavesTheLastSet(int status) {
    server.serve(SignedTokens.jwks(SignedTokens.OTHER_RSA));
    server.answerWith(status);
    nowMillis.addAndGet(REFRESH.toMillis());
    keys.refreshIfDue();

    assertThat(server.requests()).isEqualTo(2);
    assertThat(verifier.claims(OLD)).isNotEmpty();
    assertThat(verifier.status().lastFailure()).contains("status " + status);
  }

  @Test
  void refresh_hugeBody_leavesTheLastSet() {
    server.serve(SignedTokens.jwks(SignedTokens.OTHER_RSA) + " ".repeat(KeyFetch.MAX_BYTES));
    nowMillis.addAndGet(REFRESH.toMillis());
    keys.refreshIfDue();

    assertThat(verifier.claims(OLD)).isNotEmpty();
    assertThat(verifier.status().lastFailure()).contains("at most 1048576 bytes");
  }

  @Test
  void refresh_onTime_forgetsKeysAndTokensThatAreGone() {
    assertThat(verifier.claims(OLD)).isNotEmpty();
    server.serve(SignedTokens.jwks(SignedTokens.OTHER_RSA));

    nowMillis.addAndGet(REFRESH.toMillis() - 1);
    keys.refreshIfDue();
    assertThat(verifier.claims(OLD)).isNotEmpty();

    nowMillis.addAndGet(1);
    keys.refreshIfDue();
    assertThat(verifier.claims(OLD)).isEmpty();
    assertThat(verifier.claims(NEW)).isNotEmpty();
  }

  @Test
  void refresh_failing_backsOff() {
    server.answerWith(500);
    nowMillis.addAndGet(REFRESH.toMillis());
    keys.refreshIfDue();
    int requests = server.requests();

    for (int seconds : new int[] {1, 2, 4, 8, 16, 32, 60, 60}) {
      nowMillis.addAndGet(seconds * 1000 - 1);
      keys.refreshIfDue();
      assertThat(server.requests()).isEqualTo(requests);
      nowMillis.addAndGet(1);
      keys.refreshIfDue();
      assertThat(server.requests()).isEqualTo(++requests);
    }

    server.answerWith(200);
    nowMillis.addAndGet(60_000);
    keys.refreshIfDue();
    assertThat(verifier.status()).isEqualTo(new Status(1, null));
  }

  @Test
  void refresh_failsForAnHour_isReportedOnceAndThenPeriodically() {
    server.answerWith(500);
    for (int minute = 0; minute < 60; minute++) {
      nowMillis.addAndGet(60_000);
      keys.refreshIfDue();
    }

    assertThat(events.failures).hasSizeGreaterThan(50).containsOnly(KeyFailure.STATUS);
    assertThat(events.messages).hasSizeBetween(5, 6);
    assertThat(events.messages.get(0))
        .matches(
            "failing: cannot fetch token keys from http://.*/keys \\(the response has status"
                + " 500\\); keys in effect: 1");
    assertThat(verifier.keysAge()).isBetween(Duration.ofMinutes(55), Duration.ofMinutes(60));

    server.answerWith(200);
    nowMillis.addAndGet(60_000);
    keys.refreshIfDue();
    assertThat(events.messages.get(events.messages.size() - 1))
        .startsWith("working: token keys can be fetched again from http://");
    assertThat(verifier.keysAge()).isZero();
  }

  @Test
  void refresh_urlWithSecrets_reportsNoSecrets() {
    KeySource.JwksUrl secret =
        new KeySource.JwksUrl(
            URI.create("http://user:hunter2@127.0.0.1:1/keys?token=hunter2"), REFRESH);
    IssuerKeys failing = KeyRing.keys(secret, clock, Runnable::run, events);
    failing.refreshIfDue();

    assertThat(events.failures).containsExactly(KeyFailure.CONNECTION);
    assertThat(events.messages)
        .singleElement()
        .asString()
        .contains("http://127.0.0.1:1/keys (", "no token can be verified")
        .doesNotContain("hunter2");
    assertThat(secret.toString()).doesNotContain("hunter2");
  }

  @Test
  void check_unknownKeyWhileFetchingFails_isUnverifiable() {
    assertThat(verifier.check(NEW, null).result()).isEqualTo(TokenCheck.Result.UNKNOWN_KEY);
    server.answerWith(503);
    nowMillis.addAndGet(REFRESH.toMillis());
    keys.refreshIfDue();

    assertThat(verifier.check(NEW, null).result()).isEqualTo(TokenCheck.Result.UNVERIFIABLE);
    assertThat(verifier.check(OLD, null).result()).isEqualTo(TokenCheck.Result.ACCEPTED);
  }

  @Test
  void refresh_clockSetBack_isDue() {
    nowMillis.addAndGet(-3_600_000);
    keys.refreshIfDue();

    assertThat(server.requests()).isEqualTo(2);
  }

  @Test
  void fetch_bodyThatNeverComes_timesOut() throws IOException {
    try (KeyServer stuck = new KeyServer("{}")) {
      stuck.holdUntil(new CountDownLatch(1));
      HttpFetch fetch = new HttpFetch(stuck.source(REFRESH).url(), Duration.ofSeconds(2));

      IssuerKeys waiting = new IssuerKeys("", fetch, REFRESH, clock, Runnable::run, events);
      waiting.refreshIfDue();

      assertThat(waiting.lastFailure()).contains("PT2S");
    }
  }

  @Test
  void new_serverThere_hasItsKeys() {
    try (JwtVerifier real = new JwtVerifier(JwtSettings.verifying(server.source(REFRESH)), clock)) {
      assertThat(real.claims(OLD)).isNotEmpty();
    }
  }

  @Test
  void new_serverSlow_hasItsKeysLater() throws IOException {
    CountDownLatch latch = new CountDownLatch(1);
    server.holdUntil(latch);
    KeySource.JwksUrl source = server.source(REFRESH);
    KeyRing ring = KeyRing.open(source, clock, Duration.ZERO, events);

    try (JwtVerifier real = new JwtVerifier(JwtSettings.verifying(source), clock, ring)) {
      assertThat(real.claims(OLD)).isEmpty();
      assertThat(real.status()).isEqualTo(new Status(0, "not fetched yet"));
      latch.countDown();
      await().atMost(Duration.ofMinutes(1)).until(() -> !real.claims(OLD).isEmpty());
    }
  }

  @Test
  void check_afterClose_usesTheLastSet() {
    JwtVerifier real = new JwtVerifier(JwtSettings.verifying(server.source(REFRESH)), clock);
    real.close();

    assertThat(real.claims(OLD)).isNotEmpty();
    assertThat(real.claims(NEW)).isEmpty();
  }

  private static String forged(String id) {
    return SignedTokens.rs256(withId(id), ALICE);
  }

  private static RSAKey withId(String id) {
    return new RSAKey.Builder(SignedTokens.OTHER_RSA).keyID(id).build();
  }
}
