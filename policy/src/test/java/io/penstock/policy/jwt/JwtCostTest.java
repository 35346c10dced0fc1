package io.penstock.policy.jwt;

import static io.penstock.policy.jwt.TokenCheck.Result.ACCEPTED;
import static io.penstock.policy.jwt.TokenCheck.Result.ALGORITHM;
import static io.penstock.policy.jwt.TokenCheck.Result.AUDIENCE;
import static io.penstock.policy.jwt.TokenCheck.Result.EXPIRED;
import static io.penstock.policy.jwt.TokenCheck.Result.ISSUER;
import static io.penstock.policy.jwt.TokenCheck.Result.MALFORMED;
import static io.penstock.policy.jwt.TokenCheck.Result.NOT_YET_VALID;
import static io.penstock.policy.jwt.TokenCheck.Result.SIGNATURE;
import static io.penstock.policy.jwt.TokenCheck.Result.THROTTLED;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.jwt.TokenCheck.Result;
import io.penstock.testing.ManualClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Invalid tokens are cheap to reject, and affect only their senders. */
class JwtCostTest {
  private static final byte[] OTHER_SECRET =
      "fedcba9876543210fedcba9876543210".getBytes(StandardCharsets.UTF_8);
  private static final IpAddress ATTACKER = address("203.0.113.1");
  private static final IpAddress CLIENT = address("203.0.113.2");

  private final ManualClock time = new ManualClock();
  private final KeyEvents events = new KeyEvents();
  private final JwtVerifier verifier =
      verifier(JwtSettings.verifying(new KeySource.Secret(SignedTokens.SECRET)));
  private int forged;

  private JwtVerifier verifier(JwtSettings settings) {
    InstantSource clock = () -> Instant.ofEpochSecond(SignedTokens.NOW_SECONDS);
    return new JwtVerifier(
        settings,
        ClientAddress.DEFAULT_IPV6_PREFIX,
        clock,
        KeyRing.open(settings.keys(), clock, events),
        new VerificationBudget(time),
        events);
  }

  private static IpAddress address(String text) {
    return Objects.requireNonNull(IpAddress.parse(text));
  }

  private static String good(String user) {
    return SignedTokens.hs256("{\"sub\":\"" + user + "\"}");
  }

  private String bad() {
    return SignedTokens.hmac(JWSAlgorithm.HS256, OTHER_SECRET, "{\"sub\":\"" + forged++ + "\"}");
  }

  private Result check(String token, IpAddress client) {
    return verifier.check(token, client).result();
  }

  @Test
  void check_manyInvalidTokensOfAnAddress_areRejectedWithoutVerification() {
    for (int i = 0; i < VerificationBudget.BURST; i++) {
      assertThat(check(bad(), ATTACKER)).isEqualTo(SIGNATURE);
    }
    for (int i = 0; i < 1_000; i++) {
      assertThat(check(bad(), ATTACKER)).isEqualTo(THROTTLED);
    }

    time.advance(Duration.ofSeconds(1));
    assertThat(check(bad(), ATTACKER)).isEqualTo(SIGNATURE);
    assertThat(check(bad(), ATTACKER)).isEqualTo(THROTTLED);
  }

  @ParameterizedTest
  @CsvSource({
    "48, 2001:db8:1:ffff::1, THROTTLED",
    "48, 2001:db8:2::1, SIGNATURE",
    "64, 2001:db8:1::2, THROTTLED",
    "64, 2001:db8:1:1::1, SIGNATURE",
    "128, 2001:db8:1::2, SIGNATURE"
  })
  void check_badTokensOverIpv6_countByThePrefix(int prefix, String other, Result result) {
    JwtVerifier byPrefix =
        verifier.under(JwtSettings.verifying(new KeySource.Secret(SignedTokens.SECRET)), prefix);
    for (int i = 0; i < VerificationBudget.BURST; i++) {
      assertThat(byPrefix.check(bad(), address("2001:db8:1::1")).result()).isEqualTo(SIGNATURE);
    }
    assertThat(byPrefix.check(bad(), address("2001:db8:1::1")).result()).isEqualTo(THROTTLED);
    assertThat(byPrefix.check(bad(), address(other)).result()).isEqualTo(result);
  }

  @Test
  void check_validTokenOfAThrottledAddress_isAcceptedIfRecentlyVerified() {
    assertThat(check(good("known"), ATTACKER)).isEqualTo(ACCEPTED);
    for (int i = 0; i < VerificationBudget.BURST; i++) {
      check(bad(), ATTACKER);
    }

    assertThat(check(good("known"), ATTACKER)).isEqualTo(ACCEPTED);
    assertThat(check(good("new"), ATTACKER)).isEqualTo(THROTTLED);
    time.advance(Duration.ofSeconds(1));
    assertThat(check(good("new"), ATTACKER)).isEqualTo(ACCEPTED);
  }

  @Test
  void check_validTokenOfAnotherAddress_isAcceptedDuringAnAttack() {
    for (int i = 0; i < 200; i++) {
      IpAddress attacker = address("198.51.100." + i);
      check(bad(), attacker);
      check(bad(), attacker);
      assertThat(check(good("user-" + i), CLIENT)).isEqualTo(ACCEPTED);
      assertThat(check(good("first-" + i), address("192.0.2." + i))).isEqualTo(ACCEPTED);
    }
  }

  @Test
  void check_manyAddressesWithBadTokens_throttlesAllOfThese() {
    for (int i = 0; i < VerificationBudget.OVERALL_BURST; i++) {
      assertThat(check(bad(), address("198.51.100." + i))).isEqualTo(SIGNATURE);
    }

    assertThat(check(bad(), address("198.51.100.1"))).isEqualTo(THROTTLED);
    assertThat(check(bad(), CLIENT)).isEqualTo(SIGNATURE);
    assertThat(check(bad(), CLIENT)).isEqualTo(THROTTLED);
  }

  @Test
  void check_sameBadTokenAgain_isKnownAndSpendsNothing() {
    String token = bad();
    for (int i = 0; i < 1_000; i++) {
      assertThat(check(token, ATTACKER)).isEqualTo(SIGNATURE);
    }

    for (int i = 1; i < VerificationBudget.BURST; i++) {
      assertThat(check(bad(), ATTACKER)).isEqualTo(SIGNATURE);
    }
    assertThat(check(bad(), ATTACKER)).isEqualTo(THROTTLED);
  }

  @Test
  void check_expiredTokens_spendNothing() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(check(SignedTokens.hs256("{\"exp\":" + i + "}"), CLIENT)).isEqualTo(EXPIRED);
    }
    assertThat(check(good("renewed"), CLIENT)).isEqualTo(ACCEPTED);
  }

  @Test
  void check_addressUnknown_isNeverThrottled() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(verifier.check(bad(), null).result()).isEqualTo(SIGNATURE);
    }
    assertThat(verifier.check(good("a"), null).result()).isEqualTo(ACCEPTED);
  }

  @Test
  void check_rejected_reportsTheReason() {
    long later = SignedTokens.NOW_SECONDS + 60;
    JwtVerifier strict =
        verifier(
            new JwtSettings(
                JwtSettings.Trust.VERIFY,
                new KeySource.Secret(SignedTokens.SECRET),
                List.of("HS256"),
                "me",
                List.of("you"),
                Duration.ZERO));
    String from = "{\"iss\":\"me\"";
    String whole = from + ",\"aud\":\"you\"";

    strict.check(SignedTokens.hs256(whole + "}"), null);
    strict.check(null, null);
    strict.check("Basic eDp5", null);
    assertThat(events.rejected).isEmpty();
    strict.check("Bearer x", null);
    strict.check("Bearer ?", null);
    strict.check(SignedTokens.unsigned("{\"alg\":\"RS256\"}", whole + "}", "AAAA"), null);
    strict.check(SignedTokens.hmac(JWSAlgorithm.HS256, OTHER_SECRET, whole + "}"), null);
    strict.check(SignedTokens.hs256(whole + ",\"exp\":1}"), null);
    strict.check(SignedTokens.hs256(whole + ",\"nbf\":" + later + "}"), null);
    strict.check(SignedTokens.hs256("{\"aud\":\"you\"}"), null);
    strict.check(SignedTokens.hs256(from + "}"), null);

    assertThat(events.rejected)
        .containsExactly(
            MALFORMED, MALFORMED, ALGORITHM, SIGNATURE, EXPIRED, NOT_YET_VALID, ISSUER, AUDIENCE);
  }
}
