package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.policy.jwt.JwtSettings.Trust;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JwtSettingsTest {
  private static final KeySource SECRET = new KeySource.Secret(SignedTokens.SECRET);
  private static final KeySource RSA = new KeySource.PublicKey(SignedTokens.pem(SignedTokens.RSA));
  private static final KeySource EC = new KeySource.PublicKey(SignedTokens.pem(SignedTokens.EC));
  private static final KeySource FILE = new KeySource.JwksFile(Path.of("keys.json"));
  private static final KeySource URL =
      new KeySource.JwksUrl(URI.create("https://issuer.example/keys"), Duration.ofMinutes(5));

  @Test
  void defaultAlgorithms_ofEachSource_fitIt() {
    assertThat(SECRET.defaultAlgorithms()).containsExactly("HS256");
    assertThat(RSA.defaultAlgorithms()).containsExactly("RS256");
    assertThat(EC.defaultAlgorithms()).containsExactly("ES256");
    assertThat(FILE.defaultAlgorithms()).containsExactly("RS256", "ES256");
    assertThat(URL.defaultAlgorithms()).containsExactly("RS256", "ES256");
    for (KeySource source : List.of(SECRET, RSA, EC, FILE, URL)) {
      assertThat(JwtSettings.verifying(source).algorithms()).isEqualTo(source.defaultAlgorithms());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "HS256, true, false, false, false",
    "HS384, false, false, false, false",
    "RS256, false, true, false, true",
    "PS512, false, true, false, true",
    "ES256, false, false, true, true",
    "ES384, false, false, false, true",
    "ES256K, false, false, false, false",
    "EdDSA, false, false, false, false",
    "none, false, false, false, false",
    "rs256, false, false, false, false",
    "'', false, false, false, false",
  })
  void new_algorithm_mustFitTheKeys(
      String algorithm, boolean secret, boolean rsa, boolean ec, boolean set) {
    assertThat(isAccepted(SECRET, algorithm)).isEqualTo(secret);
    assertThat(isAccepted(RSA, algorithm)).isEqualTo(rsa);
    assertThat(isAccepted(EC, algorithm)).isEqualTo(ec);
    assertThat(isAccepted(FILE, algorithm)).isEqualTo(set);
    assertThat(isAccepted(URL, algorithm)).isEqualTo(set);
  }

  @Test
  void new_invalidSettings_areExplained() {
    assertRejected(() -> verify(SECRET, "RS256"), "algorithm must be one of HS256, HS384, HS512");
    assertRejected(() -> verify(SECRET, "HS512"), "at least 64 bytes for HS512: 32");
    assertRejected(
        () -> verify(new KeySource.Secret("ü".repeat(15)), "HS256"), "32 bytes for HS256: 30");
    assertRejected(() -> verify(RSA, "HS256"), "must not be an HMAC, because public keys");
    assertRejected(() -> verify(RSA, "ES256"), "must fit the public key, such as RS256: ES256");
    assertRejected(() -> verify(EC, "RS256"), "must fit the public key, such as ES256: RS256");
    assertRejected(() -> verify(URL, "EdDSA"), "algorithm must be one of [HS256, ");
    assertRejected(() -> verify(URL), "at least one algorithm");
    assertRejected(() -> settings(Trust.VERIFY, null, List.of(), Duration.ZERO), "without keys");
    assertRejected(() -> settings(Trust.DECODE_ONLY, SECRET, List.of(), Duration.ZERO), "trust is");
    assertRejected(() -> settings(Trust.NONE, null, List.of("HS256"), Duration.ZERO), "trust is");
    Duration negative = Duration.ofSeconds(-1);
    assertRejected(() -> settings(Trust.NONE, null, List.of(), negative), "leeway must be from 0");
    Duration long_ = Duration.ofDays(1);
    assertRejected(() -> settings(Trust.NONE, null, List.of(), long_), "leeway must be from 0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"file:///etc/passwd", "ftp://a/b", "keys.json", "https:keys", "http:///keys"})
  void jwksUrl_notHttp_isRejected(String url) {
    assertRejected(
        () -> new KeySource.JwksUrl(URI.create(url), Duration.ofMinutes(1)),
        "must be an http or https URL");
  }

  @Test
  void jwksUrl_refreshTooOften_isRejected() {
    URI url = URI.create("http://issuer.example/");

    assertRejected(
        () -> new KeySource.JwksUrl(url, Duration.ZERO), "refresh must be at least PT1S");
  }

  @Test
  void toString_ofSecret_omitsIt() {
    assertThat(JwtSettings.verifying(SECRET).toString()).doesNotContain(SignedTokens.SECRET);
  }

  private static boolean isAccepted(KeySource keys, String algorithm) {
    try {
      return verify(keys, algorithm) != null;
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining(algorithm);
      return false;
    }
  }

  private static JwtSettings verify(KeySource keys, String... algorithms) {
    return settings(Trust.VERIFY, keys, List.of(algorithms), Duration.ZERO);
  }

  private static JwtSettings settings(
      Trust trust, KeySource keys, List<String> algorithms, Duration leeway) {
    return new JwtSettings(trust, keys, algorithms, null, List.of(), leeway);
  }

  private static void assertRejected(Runnable making, String rule) {
    assertThatThrownBy(making::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(rule);
  }
}
