package io.penstock.policy.jwt;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.Base64;

/** Keys and tokens of an issuer, valid and invalid. */
final class SignedTokens {
  static final long NOW_SECONDS = 1_800_000_000L;
  static final String SECRET = "0123456789abcdef0123456789abcdef";

  static final RSAKey RSA = rsa("rsa-1");
  static final RSAKey OTHER_RSA = rsa("rsa-2");
  static final ECKey EC = ec(Curve.P_256, "ec-1");

  private SignedTokens() {}

  static RSAKey rsa(String id) {
    try {
      return new RSAKeyGenerator(2048).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static ECKey ec(Curve curve, String id) {
    try {
      return new ECKeyGenerator(curve).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static String pem(RSAKey key) {
    try {
      return pem(key.toPublicKey());
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static String pem(ECKey key) {
    try {
      return pem(key.toPublicKey());
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static String pem(PublicKey key) {
    String body = Base64.getMimeEncoder().encodeToString(key.getEncoded());
    return "-----BEGIN PUBLIC KEY-----\n" + body + "\n-----END PUBLIC KEY-----\n";
  }

  static String jwks(RSAKey... keys) {
    return new JWKSet(Arrays.asList(keys)).toString();
  }

  static String hs256(String payload) {
    return hmac(JWSAlgorithm.HS256, SECRET.getBytes(StandardCharsets.UTF_8), payload);
  }

  static String hmac(JWSAlgorithm algorithm, byte[] secret, String payload) {
    try {
      return sign(new JWSHeader(algorithm), payload, new MACSigner(secret));
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static String rs256(RSAKey key, String payload) {
    return rsa(JWSAlgorithm.RS256, key, payload);
  }

  static String rsa(JWSAlgorithm algorithm, RSAKey key, String payload) {
    try {
      JWSHeader header = new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build();
      return sign(header, payload, new RSASSASigner(key));
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static String ecdsa(JWSAlgorithm algorithm, ECKey key, String payload) {
    try {
      JWSHeader header = new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build();
      return sign(header, payload, new ECDSASigner(key));
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Signs a token with any header, even if the signer doesn't fit it. */
  static String sign(JWSHeader header, String payload, JWSSigner signer) throws JOSEException {
    String input = header.toBase64URL() + "." + Base64URL.encode(payload);
    Base64URL signature = signer.sign(header, input.getBytes(StandardCharsets.US_ASCII));
    return "Bearer " + input + "." + signature;
  }

  static String unsigned(String header, String payload, String signature) {
    return "Bearer " + Base64URL.encode(header) + "." + Base64URL.encode(payload) + "." + signature;
  }
}
