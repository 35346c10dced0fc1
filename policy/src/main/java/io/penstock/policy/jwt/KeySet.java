package io.penstock.policy.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.AsymmetricJWK;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jwt.SignedJWT;
import java.io.IOException;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys that are active at a time. Immutable. */
final class KeySet {
  static final KeySet EMPTY = new KeySet(List.of());

  /**
   * The maximum number of keys to try for a token without a key ID, because each attempt is
   * expensive.
   */
  private static final int MAX_TRIES = 8;

  private final List<VerificationKey> keys;

  private KeySet(List<VerificationKey> keys) {
    this.keys = List.copyOf(keys);
  }

  static KeySet of(VerificationKey key) {
    return new KeySet(List.of(key));
  }

  /**
   * Parses a JWK set. Skips keys of unknown types, keys for encryption and weak keys, which may be
   * meant for other uses, and symmetric keys, because a set is for public keys.
   *
   * @throws IOException if the text is not a key set, or no usable key remains
   */
  static KeySet parse(String json) throws IOException {
    List<VerificationKey> keys = new ArrayList<>();
    try {
      for (JWK jwk : JWKSet.parse(json).getKeys()) {
        VerificationKey key = key(jwk);
        if (key != null) {
          keys.add(key);
        }
      }
    } catch (ParseException | RuntimeException e) {
      throw new KeyFetchException(KeyFailure.INVALID, "not a JWK set: " + e.getMessage(), e);
    }
    if (keys.isEmpty()) {
      throw new KeyFetchException(
          KeyFailure.INVALID, "the JWK set has no RSA or EC key to verify signatures with", null);
    }
    return new KeySet(keys);
  }

  private static @Nullable VerificationKey key(JWK jwk) {
    if (KeyUse.ENCRYPTION.equals(jwk.getKeyUse()) || !(jwk instanceof AsymmetricJWK asymmetric)) {
      return null;
    }
    try {
      JWSAlgorithm algorithm =
          jwk.getAlgorithm() == null ? null : JWSAlgorithm.parse(jwk.getAlgorithm().getName());
      return VerificationKey.of(asymmetric.toPublicKey(), jwk.getKeyID(), algorithm);
    } catch (JOSEException | IllegalArgumentException e) {
      return null;
    }
  }

  int size() {
    return keys.size();
  }

  /** Returns whether a token refers to a key that is not in the set. */
  boolean lacksKeyOf(JWSHeader header) {
    String id = header.getKeyID();
    if (id == null) {
      return false;
    }
    for (VerificationKey key : keys) {
      if (isCandidate(key, id)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether one of the candidate keys verifies the signature of a token. */
  boolean verifies(SignedJWT token) {
    JWSHeader header = token.getHeader();
    int tries = 0;
    for (VerificationKey key : keys) {
      if (isCandidate(key, header.getKeyID()) && key.supports(header.getAlgorithm())) {
        if (key.verifies(token)) {
          return true;
        }
        if (++tries == MAX_TRIES) {
          return false;
        }
      }
    }
    return false;
  }

  /**
   * A key without an ID is a candidate for every token, and a token without a key ID may use any
   * key.
   */
  private static boolean isCandidate(VerificationKey key, @Nullable String keyId) {
    return keyId == null || key.id() == null || key.id().equals(keyId);
  }
}
