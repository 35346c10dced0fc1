package io.penstock.policy.jwt;

import static io.penstock.policy.jwt.SignedTokens.NOW_SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import io.penstock.policy.jwt.JwtSettings.Trust;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JwtVerifierTest {
  private static final String ALICE = "{\"sub\":\"alice\"}";
  private static final KeySource SECRET = new KeySource.Secret(SignedTokens.SECRET);
  private static final KeySource RSA_PEM =
      new KeySource.PublicKey(SignedTokens.pem(SignedTokens.RSA));

  private final AtomicLong nowMillis = new AtomicLong(NOW_SECONDS * 1000);
  private final InstantSource clock = () -> Instant.ofEpochMilli(nowMillis.get());

  @Test
  void claims_goodToken_areItsScalarsAsText() {
    String payload =
        """
        {"sub":"alice","plan":"","n":42,"f":42.0,"e":4.2E1,"tiny":1e-3,"big":123456789012345678901234567890,
         "neg":-0.50,"zero":0e99,"yes":true,"no":false,"nil":null,"list":["a"],"object":{"sub":"x"},
         "endless":1e2147483647,"small":1e-2147483647,"far":1e99999999999,"ü":"é"}""";

    assertThat(verifier(SECRET).claims(SignedTokens.hs256(payload)))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("sub", "alice"),
                Map.entry("plan", ""),
                Map.entry("n", "42"),
                Map.entry("f", "42"),
                Map.entry("e", "42"),
                Map.entry("tiny", "0.001"),
                Map.entry("big", "123456789012345678901234567890"),
                Map.entry("neg", "-0.5"),
                Map.entry("zero", "0"),
                Map.entry("yes", "true"),
                Map.entry("no", "false"),
                Map.entry("ü", "é")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
  void claims_rsaAlgorithms_areAccepted(String name) {
    JwtVerifier verifier = verifier(pinned(RSA_PEM, name));
    JWSAlgorithm algorithm = JWSAlgorithm.parse(name);

    assertThat(verifier.claims(SignedTokens.rsa(algorithm, SignedTokens.RSA, ALICE)))
        .containsKey("sub");
    assertThat(verifier.claims(SignedTokens.rsa(algorithm, SignedTokens.OTHER_RSA, ALICE)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"P-256, ES256", "P-384, ES384", "P-521, ES512"})
  void claims_ecAlgorithms_areAcceptedByCurve(String curve, String name) {
    ECKey key = SignedTokens.ec(Curve.parse(curve), "a");
    KeySource source = new KeySource.PublicKey(SignedTokens.pem(key));
    JWSAlgorithm algorithm = JWSAlgorithm.parse(name);

    assertThat(source.defaultAlgorithms()).containsExactly(name);
    assertThat(verifier(source).claims(SignedTokens.ecdsa(algorithm, key, ALICE)))
        .containsKey("sub");
    ECKey other = SignedTokens.ec(Curve.parse(curve), "a");
    assertThat(verifier(source).claims(SignedTokens.ecdsa(algorithm, other, ALICE))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"HS256, 32", "HS384, 48", "HS512, 64"})
  void claims_hmacAlgorithms_areAccepted(String name, int length) {
    String secret = "s".repeat(length);
    JwtVerifier verifier = verifier(pinned(new KeySource.Secret(secret), name));
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);

    assertThat(verifier.claims(SignedTokens.hmac(JWSAlgorithm.parse(name), bytes, ALICE)))
        .containsKey("sub");
    bytes[0] = 'x';
    assertThat(verifier.claims(SignedTokens.hmac(JWSAlgorithm.parse(name), bytes, ALICE)))
        .isEmpty();
  }

  @Test
  void claims_payloadOrSignatureChanged_areNone() {
    String token = SignedTokens.hs256(ALICE);
    int dot = token.lastIndexOf('.');
    String other = SignedTokens.hs256("{\"sub\":\"admin\"}");

    JwtVerifier verifier = verifier(SECRET);

    assertThat(verifier.claims(token)).isNotEmpty();
    assertThat(verifier.claims(other.substring(0, other.lastIndexOf('.')) + token.substring(dot)))
        .isEmpty();
    assertThat(verifier.claims(token.substring(0, dot + 1))).isEmpty();
    assertThat(verifier.claims(token.substring(0, dot))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "None", "NONE", "", "HS1", "RS256", "EdDSA", "dir"})
  void claims_unsignedOrUnknownAlgorithm_areNone(String algorithm) {
    String header = "{\"alg\":\"" + algorithm + "\"}";

    for (KeySource source : List.of(SECRET, RSA_PEM)) {
      assertThat(verifier(source).claims(SignedTokens.unsigned(header, ALICE, ""))).isEmpty();
      assertThat(verifier(source).claims(SignedTokens.unsigned(header, ALICE, "AAAA"))).isEmpty();
    }
  }

  @Test
  void claims_hmacWithThePublicKeyAsSecret_areNone() throws JOSEException {
    byte[] pem = SignedTokens.pem(SignedTokens.RSA).getBytes(StandardCharsets.UTF_8);
    byte[] der = SignedTokens.RSA.toPublicKey().getEncoded();
    JwtVerifier verifier = verifier(pinned(RSA_PEM, "RS256", "RS384", "PS256"));

    for (byte[] secret : List.of(pem, der)) {
      assertThat(verifier.claims(SignedTokens.hmac(JWSAlgorithm.HS256, secret, ALICE))).isEmpty();
    }
  }

  @Test
  void claims_algorithmNotPinned_areNone() {
    String token = SignedTokens.rsa(JWSAlgorithm.RS512, SignedTokens.RSA, ALICE);

    assertThat(verifier(pinned(RSA_PEM, "RS256")).claims(token)).isEmpty();
    assertThat(verifier(pinned(RSA_PEM, "RS256", "RS512")).claims(token)).isNotEmpty();
  }

  @Test
  void claims_keyInTheTokenItself_areNone() throws JOSEException {
    JWSHeader header =
        new JWSHeader.Builder(JWSAlgorithm.RS256).jwk(SignedTokens.OTHER_RSA.toPublicJWK()).build();

    String token = SignedTokens.sign(header, ALICE, new RSASSASigner(SignedTokens.OTHER_RSA));

    assertThat(verifier(RSA_PEM).claims(token)).isEmpty();
  }

  @Test
  void claims_criticalHeaderUnknown_areNone() throws JOSEException {
    JWSHeader.Builder header =
        new JWSHeader.Builder(JWSAlgorithm.RS256).customParam("doom", 1).keyID("rsa-1");
    RSASSASigner signer = new RSASSASigner(SignedTokens.RSA);

    assertThat(verifier(RSA_PEM).claims(SignedTokens.sign(header.build(), ALICE, signer)))
        .isNotEmpty();
    header.criticalParams(Set.of("doom"));
    assertThat(verifier(RSA_PEM).claims(SignedTokens.sign(header.build(), ALICE, signer)))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'exp':NOW+1} | 0 | true",
        "{'exp':NOW} | 0 | false",
        "{'exp':NOW-1} | 0 | false",
        "{'exp':NOW-29} | 30 | true",
        "{'exp':NOW-30} | 30 | false",
        "{'exp':1e300} | 0 | true",
        "{'exp':9223372036854775807} | 0 | true",
        "{'exp':-1} | 0 | false",
        "{'exp':'never'} | 0 | false",
        "{'exp':null} | 0 | false",
        "{'exp':{}} | 0 | false",
        "{'nbf':NOW} | 0 | true",
        "{'nbf':NOW+1} | 0 | false",
        "{'nbf':NOW+30} | 30 | true",
        "{'nbf':NOW+31} | 30 | false",
        "{'nbf':1e300} | 30 | false",
        "{'nbf':'x'} | 30 | false",
        "{'nbf':NOW-1,'exp':NOW+1} | 0 | true",
        "{'times':false} | 0 | true",
      })
  void claims_times_areCheckedWithLeeway(String payload, int leewaySeconds, boolean accepted) {
    String json = payload.replace('\'', '"').replace("{\"", "{\"sub\":\"a\",\"");
    String token =
        SignedTokens.hs256(
            Pattern.compile("NOW([+-]\\d+)?")
                .matcher(json)
                .replaceAll(now -> "" + (NOW_SECONDS + offset(now.group(1)))));
    Duration leeway = Duration.ofSeconds(leewaySeconds);

    for (Trust trust : List.of(Trust.VERIFY, Trust.DECODE_ONLY)) {
      JwtSettings settings = settings(trust, null, List.of(), leeway);
      assertThat(verifier(settings).claims(token).isEmpty()).isEqualTo(!accepted);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'iss':'us','aud':'api'} | true",
        "{'iss':'us','aud':['x','web']} | true",
        "{'iss':'us','aud':[1,['api'],{'aud':'api'},'api']} | true",
        "{'iss':'us','aud':[1,['api'],{'aud':'api'}]} | false",
        "{'iss':'us','aud':'other'} | false",
        "{'iss':'us','aud':[]} | false",
        "{'iss':'us','aud':{'api':1}} | false",
        "{'iss':'us'} | false",
        "{'iss':'them','aud':'api'} | false",
        "{'iss':['us'],'aud':'api'} | false",
        "{'iss':'US','aud':'api'} | false",
        "{'aud':'api'} | false",
      })
  void claims_issuerAndAudience_mustBeThoseWanted(String payload, boolean accepted) {
    String token = SignedTokens.hs256(payload.replace('\'', '"'));
    List<String> audience = List.of("api", "web");

    for (Trust trust : List.of(Trust.VERIFY, Trust.DECODE_ONLY)) {
      JwtSettings settings = settings(trust, "us", audience, Duration.ZERO);
      assertThat(verifier(settings).claims(token).isEmpty()).isEqualTo(!accepted);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "null",
        "\"x\"",
        "{",
        "{\"sub\":\"a\"",
        "{\"sub\":\"a\"}{}",
        "{\"sub\":\"a\"} x",
        "{\"sub\":\"a\",\"sub\":\"b\"}",
        "{\"o\":{\"a\":1,\"a\":2}}",
        "{sub:1}",
        "{\"sub\":01}",
        "{\"sub\":NaN}"
      })
  void claims_signedButNotAnObject_areNone(String payload) {
    assertThat(verifier(SECRET).claims(SignedTokens.hs256(payload))).isEmpty();
  }

  @Test
  void claims_hugeToken_areNone() {
    String fits = SignedTokens.hs256("{\"sub\":\"" + "x".repeat(12_000) + "\"}");
    String tooLong = SignedTokens.hs256("{\"sub\":\"" + "x".repeat(12_300) + "\"}");

    assertThat(verifier(SECRET).claims(fits)).isNotEmpty();
    assertThat(verifier(SECRET).claims(tooLong)).isEmpty();
    assertThat(verifier(SECRET).claims("Bearer " + "x".repeat(10_000_000))).isEmpty();
  }

  @Test
  void claims_deeplyNested_areNone() {
    String deep = "{\"sub\":" + "[".repeat(5_000) + "]".repeat(5_000) + "}";

    assertThat(verifier(SECRET).claims(SignedTokens.hs256(deep))).isEmpty();
    assertThat(verifier(SECRET).claims(SignedTokens.unsigned(deep, ALICE, "AAAA"))).isEmpty();
    assertThat(
            new JwtVerifier(JwtSettings.TRUSTED, clock)
                .claims(SignedTokens.unsigned(deep, deep, "")))
        .isEmpty();
  }

  @Test
  void claims_schemeInAnyCase_areAccepted() {
    String token = SignedTokens.hs256(ALICE).substring("Bearer ".length());
    JwtVerifier verifier = verifier(SECRET);

    assertThat(verifier.claims("bearer " + token)).isNotEmpty();
    assertThat(verifier.claims("BEARER   " + token)).isNotEmpty();
    assertThat(verifier.claims(token)).isEmpty();
    assertThat(verifier.claims("Basic " + token)).isEmpty();
    assertThat(verifier.claims("Bearer" + token)).isEmpty();
    assertThat(verifier.claims(null)).isEmpty();
  }

  @Test
  void claims_twoHeadersJoined_areNone() {
    String token = SignedTokens.hs256(ALICE);

    assertThat(verifier(SECRET).claims(token + ", " + token)).isEmpty();
    assertThat(verifier(SECRET).claims("Basic eDp5, " + token)).isEmpty();
    assertThat(verifier(SECRET).claims(token + ", Basic eDp5")).isEmpty();
  }

  @Test
  void claims_seenBefore_areAcceptedOnlyUntilTheTokenExpires() {
    JwtVerifier verifier = verifier(SECRET);
    String token = SignedTokens.hs256("{\"sub\":\"a\",\"exp\":" + (NOW_SECONDS + 10) + "}");

    assertThat(verifier.claims(token)).isNotEmpty().isSameAs(verifier.claims(token));
    nowMillis.addAndGet(9_999);
    assertThat(verifier.claims(token)).isNotEmpty();
    nowMillis.addAndGet(1);
    assertThat(verifier.claims(token)).isEmpty();
  }

  @Test
  void claims_seenBefore_areVerifiedAgainAfterAMinute() {
    JwtVerifier verifier = verifier(SECRET);
    String token = SignedTokens.hs256(ALICE);
    Map<String, String> first = verifier.claims(token);

    nowMillis.addAndGet(59_999);
    assertThat(verifier.claims(token)).isSameAs(first);
    nowMillis.addAndGet(1);
    assertThat(verifier.claims(token)).isEqualTo(first).isNotSameAs(first);
  }

  @Test
  void claims_notYetValid_areAcceptedFromThenOn() {
    JwtVerifier verifier = verifier(SECRET);
    String token = SignedTokens.hs256("{\"sub\":\"a\",\"nbf\":" + (NOW_SECONDS + 10) + "}");

    assertThat(verifier.claims(token)).isEmpty();
    nowMillis.addAndGet(10_000);
    assertThat(verifier.claims(token)).isNotEmpty();
    nowMillis.addAndGet(-1);
    assertThat(verifier.claims(token)).isEmpty();
  }

  @Test
  void claims_decodeOnly_needNoSignature() {
    JwtVerifier verifier = new JwtVerifier(JwtSettings.TRUSTED, clock);

    assertThat(verifier.claims(SignedTokens.hs256(ALICE))).containsEntry("sub", "alice");
    assertThat(verifier.claims(SignedTokens.unsigned("{\"alg\":\"none\"}", ALICE, "")))
        .isNotEmpty();
    assertThat(verifier.claims(SignedTokens.unsigned("{\"alg\":\"RS256\"}", ALICE, "AAAA")))
        .isNotEmpty();
    assertThat(verifier.claims(SignedTokens.unsigned("{}", ALICE, ""))).isEmpty();
    assertThat(verifier.claims(SignedTokens.unsigned("{\"alg\":\"none\"}", "[]", ""))).isEmpty();
    assertThat(verifier.claims("Bearer e30.e30")).isEmpty();
  }

  @Test
  void claims_withoutSettings_areNone() {
    JwtVerifier verifier = new JwtVerifier(JwtSettings.NONE, clock);

    assertThat(verifier.claims(SignedTokens.hs256(ALICE))).isEmpty();
    assertThat(verifier.status()).isEqualTo(new JwtVerifier.Status(0, null));
  }

  private static long offset(String seconds) {
    return seconds == null ? 0 : Long.parseLong(seconds);
  }

  private JwtVerifier verifier(KeySource keys) {
    return verifier(JwtSettings.verifying(keys));
  }

  private JwtVerifier verifier(JwtSettings settings) {
    return new JwtVerifier(settings, clock);
  }

  private static JwtSettings pinned(KeySource keys, String... algorithms) {
    return new JwtSettings(Trust.VERIFY, keys, List.of(algorithms), null, List.of(), Duration.ZERO);
  }

  private static JwtSettings settings(
      Trust trust, String issuer, List<String> audience, Duration leeway) {
    return trust == Trust.VERIFY
        ? new JwtSettings(trust, SECRET, List.of("HS256"), issuer, audience, leeway)
        : new JwtSettings(trust, null, List.of(), issuer, audience, leeway);
  }
}
