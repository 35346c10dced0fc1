package io.penstock.policy.jwt;

import com.nimbusds.jose.JWSAlgorithm;
import io.penstock.InvalidValueException;
import java.util.List;

/** The supported signature algorithms of tokens. */
final class Algorithms {
  static final List<String> KEY_SET_DEFAULTS = List.of("RS256", "ES256");

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

  /** The default algorithm of a key is the first of these that it supports. */
  private static final List<JWSAlgorithm> KEY_DEFAULTS =
      List.of(JWSAlgorithm.RS256, JWSAlgorithm.ES256, JWSAlgorithm.ES384, JWSAlgorithm.ES512);

  private Algorithms() {}

  static JWSAlgorithm known(String name) {
    for (JWSAlgorithm algorithm : KNOWN) {
      if (algorithm.getName().equals(name)) {
        return algorithm;
      }
    }
    throw new InvalidValueException("algorithm", "must be one of " + KNOWN + ": " + name);
  }

  static JWSAlgorithm asymmetric(String name) {
    JWSAlgorithm algorithm = known(name);
    if (JWSAlgorithm.Family.HMAC_SHA.contains(algorithm)) {
      throw new InvalidValueException(
          "algorithm", "must not be an HMAC, because public keys are not secret: " + name);
    }
    return algorithm;
  }

  static JWSAlgorithm defaultFor(VerificationKey key) {
    return KEY_DEFAULTS.stream().filter(key::supports).findFirst().orElseThrow();
  }

  /** Returns the minimum length of a secret: as long as the hash, as RFC 7518 requires. */
  static int minSecretBytes(JWSAlgorithm algorithm) {
    if (algorithm.equals(JWSAlgorithm.HS256)) {
      return 32;
    }
    return algorithm.equals(JWSAlgorithm.HS384) ? 48 : 64;
  }
}
