package io.penstock.policy.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import java.util.List;

/** The algorithms that tokens may be signed with. */
final class Algorithms {
  static final List<String> USUAL_OF_KEY_SETS = List.of("RS256", "ES256");

  private static final List<JWSAlgorithm> KNOWN =
      List.of(
          JWSAlgorithm.HS256,
          JWSAlgorithm.HS384,
          JWSAlgorithm.HS512,
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  /** What a key is commonly used with: the first of these that it supports. */
  private static final List<JWSAlgorithm> BY_CUSTOM =
      List.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256, JWSAlgorithm.ES384, JWSAlgorithm.ES512);

  private Algorithms() {}

  static JWSAlgorithm known(String name) {
    for (JWSAlgorithm algorithm : KNOWN) {
      if (algorithm.getName().equals(name)) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException("algorithm must be one of " + KNOWN + ": " + name);
  }

  static JWSAlgorithm asymmetric(String name) {
    JWSAlgorithm algorithm = known(name);
    if (JWSAlgorithm.Family.HMAC_SHA.contains(algorithm)) {
      throw new IllegalArgumentException(
          "algorithm must not be an HMAC with public keys, which are no secret: " + name);
    }
    return algorithm;
  }

  static JWSAlgorithm usual(VerificationKey key) {
    return BY_CUSTOM.stream().filter(key::supports).findFirst().orElseThrow();
  }

  /** As long as the hash, as RFC 7518 demands. */
  static int leastSecretBytes(JWSAlgorithm algorithm) {
    if (algorithm.equals(JWSAlgorithm.HS256)) {
      return 32;
    }
    return algorithm.equals(JWSAlgorithm.HS384) ? 48 : 64;
  }
}
