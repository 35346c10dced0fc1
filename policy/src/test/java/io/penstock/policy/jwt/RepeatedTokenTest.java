package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.jca.JCAContext;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.util.Base64URL;
import io.penstock.policy.address.IpAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A valid token requires one signature verification per minute, whatever the algorithm. */
class RepeatedTokenTest {
  private static final String SECRET = "0123456789abcdef".repeat(4);
  private static final IpAddress CLIENT = Objects.requireNonNull(IpAddress.parse("192.0.2.1"));

  private final AtomicInteger verifications = new AtomicInteger();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256",
        "ES384", "ES512"
      })
  void check_sameValidTokenAgain_isVerifiedOnce(String name) throws Exception {
    JWSAlgorithm algorithm = JWSAlgorithm.parse(name);
    JwtVerifier verifier;
    String token;
    String payload = "{\"sub\":\"alice\"}";
    if (name.startsWith("HS")) {
      KeySource.Secret secret = new KeySource.Secret(SECRET);
      verifier = verifier(secret, name, VerificationKey.of(secret));
      token = SignedTokens.hmac(algorithm, SECRET.getBytes(StandardCharsets.UTF_8), payload);
    } else if (name.startsWith("ES")) {
      ECKey key = SignedTokens.ec(Curve.forJWSAlgorithm(algorithm).iterator().next(), "key");
      verifier =
          verifier(
              new KeySource.PublicKey(SignedTokens.pem(key)),
              name,
              VerificationKey.of(key.toPublicKey()));
      token = SignedTokens.ecdsa(algorithm, key, payload);
    } else {
      verifier =
          verifier(
              new KeySource.PublicKey(SignedTokens.pem(SignedTokens.RSA)),
              name,
              VerificationKey.of(SignedTokens.RSA.toPublicKey()));
      token = SignedTokens.rsa(algorithm, SignedTokens.RSA, payload);
    }

    TokenCheck first = verifier.check(token, CLIENT);
    assertThat(first.claims()).containsEntry("sub", "alice");
    for (int i = 0; i < 1_000; i++) {
      // Each request has its own string.
      assertThat(verifier.check(new String(token.toCharArray()), CLIENT)).isSameAs(first);
    }
    assertThat(verifications).hasValue(1);
  }

  private JwtVerifier verifier(KeySource source, String algorithm, VerificationKey key) {
    JwtSettings settings =
        new JwtSettings(
            JwtSettings.Trust.VERIFY, source, List.of(algorithm), null, List.of(), Duration.ZERO);
    KeySet keys = KeySet.of(new VerificationKey(null, null, new Counting(key.verifier())));
    InstantSource clock = () -> Instant.ofEpochSecond(SignedTokens.NOW_SECONDS);
    return new JwtVerifier(settings, clock, KeyRing.of(IssuerKeys.fixed(keys)));
  }

  /** Counts signature verifications. */
  private final class Counting implements JWSVerifier {
    private final JWSVerifier verifier;

    Counting(JWSVerifier verifier) {
      this.verifier = verifier;
    }

    @Override
    public Set<JWSAlgorithm> supportedJWSAlgorithms() {
      return verifier.supportedJWSAlgorithms();
    }

    @Override
    public JCAContext getJCAContext() {
      return verifier.getJCAContext();
    }

    @Override
    public boolean verify(JWSHeader header, byte[] input, Base64URL signature)
        throws JOSEException {
      verifications.incrementAndGet();
      return verifier.verify(header, input, signature);
    }
  }
}
