package io.penstock.policy.jwt;

import java.io.ByteArrayInputStream;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.cert.CertificateFactory;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;

/** Reads public keys in PEM format. */
final class Pem {
  private static final String BEGIN = "-----BEGIN ";
  private static final String DASHES = "-----";
  private static final List<String> KEY_ALGORITHMS = List.of("RSA", "EC");

  private Pem() {}

  /**
   * Returns the first public key in a text, or that of the first certificate. Messages never quote
   * the text, which may be a private key by mistake.
   *
   * @throws IllegalArgumentException if there is none
   */
  static PublicKey publicKey(String pem) {
    int begin = pem.indexOf(BEGIN);
    int label = begin + BEGIN.length();
    int labelEnd = begin < 0 ? -1 : pem.indexOf(DASHES, label);
    if (labelEnd < 0) {
      throw new IllegalArgumentException(
          "public key must be in PEM form, from -----BEGIN PUBLIC KEY----- or CERTIFICATE on");
    }
    String type = pem.substring(label, labelEnd);
    int end = pem.indexOf("-----END " + type + DASHES, labelEnd);
    if (end < 0) {
      throw new IllegalArgumentException("PEM must end with -----END " + type + DASHES);
    }
    String body = pem.substring(labelEnd + DASHES.length(), end);
    return switch (type) {
      case "PUBLIC KEY" -> key(decode(body));
      case "CERTIFICATE" -> certified(decode(body));
      default ->
          throw new IllegalArgumentException("PEM must be a PUBLIC KEY or CERTIFICATE: " + type);
    };
  }

  private static byte[] decode(String body) {
    try {
      return Base64.getMimeDecoder().decode(body);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("PEM must be in base64: " + e.getMessage(), e);
    }
  }

  private static PublicKey key(byte[] der) {
    GeneralSecurityException failure = null;
    for (String algorithm : KEY_ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(der));
      } catch (GeneralSecurityException e) {
        failure = e;
      }
    }
    throw new IllegalArgumentException(
        "public key must be RSA, or EC on P-256, P-384 or P-521", failure);
  }

  private static PublicKey certified(byte[] der) {
    try {
      return CertificateFactory.getInstance("X.509")
          .generateCertificate(new ByteArrayInputStream(der))
          .getPublicKey();
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("certificate can't be read: " + e.getMessage(), e);
    }
  }
}
