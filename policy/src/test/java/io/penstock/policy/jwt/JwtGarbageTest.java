package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.util.Base64URL;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** A verifier neither throws nor accepts anything, whatever a client sends. */
class JwtGarbageTest {
  private static final InstantSource CLOCK = () -> Instant.ofEpochSecond(SignedTokens.NOW_SECONDS);
  private static final List<JwtVerifier> VERIFIERS =
      List.of(
          verifier(new KeySource.Secret(SignedTokens.SECRET)),
          verifier(new KeySource.PublicKey(SignedTokens.pem(SignedTokens.RSA))),
          verifier(new KeySource.PublicKey(SignedTokens.pem(SignedTokens.EC))));
  private static final JwtVerifier TRUSTING = new JwtVerifier(JwtSettings.TRUSTED, CLOCK);

  @Property
  void claims_anyText_areNone(@ForAll String text) {
    assertNone(text);
    assertNone("Bearer " + text);
  }

  @Property(tries = 3000)
  void claims_nearlyATokenUnsigned_areNone(@ForAll("nearlyTokens") String token) {
    assertNone(token);
  }

  @Property
  void claims_goodTokenWithACharacterChanged_areNone(@ForAll int seed, @ForAll char replacement) {
    String token = SignedTokens.hs256("{\"sub\":\"alice\"}");
    int at = "Bearer ".length() + Math.floorMod(seed, token.length() - "Bearer ".length() - 1);
    StringBuilder changed = new StringBuilder(token);
    changed.setCharAt(at, replacement);

    if (token.charAt(at) != replacement) {
      assertNone(changed.toString());
    }
  }

  private static void assertNone(String authorization) {
    for (JwtVerifier verifier : VERIFIERS) {
      assertThat(verifier.claims(authorization)).isEmpty();
    }
    assertThat(TRUSTING.claims(authorization)).isNotNull();
  }

  private static JwtVerifier verifier(KeySource keys) {
    return new JwtVerifier(JwtSettings.verifying(keys), CLOCK);
  }

  @Provide
  Arbitrary<String> nearlyTokens() {
    Arbitrary<String> json =
        Arbitraries.of(
                "{",
                "}",
                "\"alg\"",
                "\"kid\"",
                "\"crit\"",
                "\"b64\"",
                "\"exp\"",
                "\"aud\"",
                ":",
                ",",
                "\"HS256\"",
                "\"RS256\"",
                "\"ES256\"",
                "\"none\"",
                "[",
                "]",
                "1e999999999",
                "-1",
                "null",
                "true",
                "\"\\ud800\"")
            .list()
            .ofMaxSize(12)
            .map(parts -> String.join("", parts));
    Arbitrary<String> header =
        Arbitraries.oneOf(
            json,
            Arbitraries.of("HS256", "RS256", "ES256", "none").map(a -> "{\"alg\":\"" + a + "\"}"));
    Arbitrary<String> signature =
        Arbitraries.oneOf(
            Arbitraries.just(""),
            Arbitraries.bytes()
                .array(byte[].class)
                .ofMaxSize(300)
                .map(b -> "" + Base64URL.encode(b)),
            Arbitraries.just("" + Base64URL.encode(new byte[64])));
    return Combinators.combine(header, json, signature).as(SignedTokens::unsigned);
  }
}
