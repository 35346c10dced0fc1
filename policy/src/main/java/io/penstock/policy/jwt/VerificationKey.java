package io.penstock.policy.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jwt.SignedJWT;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import org.jspecify.annotations.Nullable;

/**
 * A key for verifying signatures. Immutable and thread-safe.
 *
 * @param id the key ID in a key set
 * @param algorithm the only algorithm that the key is for; null for all that it supports
 */
record VerificationKey(
    @Nullable String id, @Nullable JWSAlgorithm algorithm, JWSVerifier verifier) {
  private static final int MIN_RSA_BITS = 2048;

  static VerificationKey of(KeySource.Secret secret) {
    try {
      return new VerificationKey(null, null, new MACVerifier(secret.bytes()));
    } catch (JOSEException e) {
      throw new IllegalArgumentException("secret can't be used: " + e.getMessage(), e);
    }
  }

  static VerificationKey of(PublicKey key) {
    return of(key, null, null);
  }

  /**
   * @throws IllegalArgumentException if the key is weak or of an unsupported type
   */
  static VerificationKey of(PublicKey key, @Nullable String id, @Nullable JWSAlgorithm algorithm) {
    return new VerificationKey(id, algorithm, verifier(key));
  }

  private static JWSVerifier verifier(PublicKey key) {
    if (key instanceof RSAPublicKey rsa) {
      int bits = rsa.getModulus().bitLength();
      if (bits < MIN_RSA_BITS) {
        throw new IllegalArgumentException(
            "RSA key must have at least " + MIN_RSA_BITS + " bits: " + bits);
      }
      return new RSASSAVerifier(rsa);
    }
    if (key instanceof ECPublicKey ec) {
      Curve curve = Curve.forECParameterSpec(ec.getParams());
      if (Curve.P_256.equals(curve) || Curve.P_384.equals(curve) || Curve.P_521.equals(curve)) {
        return ecdsa(ec);
      }
      throw new IllegalArgumentException("EC key must be on P-256, P-384 or P-521: " + curve);
    }
    throw new IllegalArgumentException("public key must be RSA or EC: " + key.getAlgorithm());
  }

  private static JWSVerifier ecdsa(ECPublicKey key) {
    try {
      return new ECDSAVerifier(key);
    } catch (JOSEException e) {
      throw new IllegalArgumentException("EC key can't be used: " + e.getMessage(), e);
    }
  }

  boolean supports(JWSAlgorithm requested) {
    return (algorithm == null || algorithm.equals(requested))
        && verifier.supportedJWSAlgorithms().contains(requested);
  }

  boolean verifies(SignedJWT token) {
    try {
      return token.verify(verifier);
    } catch (JOSEException e) {
      return false;
    }
  }
}
