package io.penstock.policy.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.util.Base64URL;
import io.penstock.policy.Lines;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Fuzzes tokens. The input is an {@code Authorization} header as a client sends it, and the JSON of
 * a header and of a payload that the issuer signs, one per line.
 */
public final class JwtFuzz {
  private static final String SECRET = "a secret of at least thirty-two bytes";
  private static final InstantSource CLOCK = () -> Instant.ofEpochSecond(1_700_000_000);
  private static final JwtVerifier VERIFYING =
      new JwtVerifier(JwtSettings.verifying(new KeySource.Secret(SECRET)), CLOCK);
  private static final JwtVerifier TRUSTING = new JwtVerifier(JwtSettings.TRUSTED, CLOCK);

  private JwtFuzz() {}

  /** Loads and instruments classes before the first input is timed. */
  public static void fuzzerInitialize() throws GeneralSecurityException {
    fuzzerTestOneInput("\n{\"alg\":\"HS256\"}\n{\"sub\":\"a\"}".getBytes(UTF_8));
  }

  public static void fuzzerTestOneInput(byte[] input) throws GeneralSecurityException {
    Lines lines = Lines.of(input);
    TRUSTING.claims(lines.get(0));
    TRUSTING.claims("Bearer " + lines.get(0));
    none(lines.get(0));
    none("Bearer " + lines.get(0));

    String signed = encoded(lines.get(1)) + "." + encoded(lines.get(2));
    Map<String, String> verified = VERIFYING.claims("Bearer " + signed + "." + signature(signed));
    Map<String, String> decoded = TRUSTING.claims("Bearer " + signed + "." + signature(signed));
    if (!verified.isEmpty() && !verified.equals(decoded)) {
      throw new AssertionError(verified + " is not " + decoded);
    }
    none("Bearer " + signed + "." + signature(signed + "."));
  }

  private static void none(String authorization) {
    if (!VERIFYING.claims(authorization).isEmpty()) {
      throw new AssertionError("token was not signed by the issuer: " + authorization);
    }
  }

  private static String encoded(String json) {
    return Base64URL.encode(json).toString();
  }

  private static String signature(String signed) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(SECRET.getBytes(UTF_8), "HmacSHA256"));
    return Base64URL.encode(mac.doFinal(signed.getBytes(UTF_8))).toString();
  }
}
