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

/** The keys in force at a time. Immutable, for many threads. */
final class KeySet {
  static final KeySet EMPTY = new KeySet(List.of());

  /** How many keys a token that names none may be tried with, as each try costs. */
  private static final int MAX_TRIES = 8;

  private final List<VerificationKey> keys;

  private KeySet(List<VerificationKey> keys) {
    this.keys = List.copyOf(keys);
  }

  static KeySet of(VerificationKey key) {
    return new KeySet(List.of(key));
  }

  /**
   * Reads a JWK set. Keys of kinds that aren't known, for encryption, or too weak are left out, as
   * they are for somebody else; secrets too, as a set is for public keys.
   *
   * @throws IOException if it isn't a set, or has no key left
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

  /** Whether a token names a key that isn't here. */
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

  /** Whether a key that the token may be signed with has signed it. */
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

  /** A key without a name may be any token's; a token that names none may be any key's. */
  private static boolean isCandidate(VerificationKey key, @Nullable String wanted) {
    return wanted == null || key.id() == null || key.id().equals(wanted);
  }
}
