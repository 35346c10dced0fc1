package io.penstock.server.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.penstock.server.tls.TlsException.TlsPart;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A certificate with its chain and its matching private key. Immutable.
 *
 * @param names the hosts of the certificate, in lower case; {@code *.example.com} is a wildcard
 */
record Identity(PrivateKey key, List<X509Certificate> chain, Set<String> names) {
  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA", "RSASSA-PSS");
  private static final Pattern PKCS_8 =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----");
  private static final int DNS_NAME = 2;
  private static final int MIN_RSA_BITS = 2048;
  private static final Pattern COMMON_NAME = Pattern.compile("(?:^|,)CN=([^,+]+)");
  private static final byte[] SAMPLE = "penstock".getBytes(US_ASCII);

  static Identity load(TlsFiles.Pair files) throws TlsException {
    List<X509Certificate> chain = certificates(files.certificate(), TlsPart.CERTIFICATE);
    PrivateKey key = key(files.key(), chain.get(0));
    if (!canSign(key)) {
      throw new TlsException(
          TlsPart.KEY,
          "this JVM does not support the curve or size of the "
              + describe(key)
              + " key; use RSA with 2048 bits, or EC on P-256, P-384 or P-521: "
              + files.key());
    }
    if (!matchesKey(key, chain.get(0))) {
      for (X509Certificate other : chain) {
        if (matchesKey(key, other)) {
          throw new TlsException(
              TlsPart.CERTIFICATE,
              "the server's own certificate must be the first of its chain: "
                  + files.certificate());
        }
      }
      throw new TlsException(
          TlsPart.KEY,
          files.key() + " is not the private key of the certificate " + files.certificate());
    }
    return new Identity(key, chain, names(chain.get(0)));
  }

  /** Reads all certificates of a file; fails if there are none. */
  static List<X509Certificate> certificates(Path file, TlsPart part) throws TlsException {
    try {
      List<X509Certificate> certificates = new ArrayList<>();
      byte[] content = PemFile.read(file);
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(content))) {
        certificates.add((X509Certificate) certificate);
      }
      if (certificates.isEmpty()) {
        throw new TlsException(part, "contains no certificate: " + file);
      }
      return List.copyOf(certificates);
    } catch (IOException e) {
      throw new TlsException(part, "cannot be read: " + e.getMessage(), e);
    } catch (CertificateException e) {
      throw new TlsException(part, "must contain certificates in PEM format: " + file, e);
    }
  }

  /** Reads the key of a file in PKCS #8, PKCS #1 or SEC 1 format. */
  private static PrivateKey key(Path file, X509Certificate first) throws TlsException {
    try {
      String text = new String(PemFile.read(file), ISO_8859_1);
      Matcher plain = PKCS_8.matcher(text);
      return plain.find()
          ? key(Base64.getMimeDecoder().decode(plain.group(1)))
          : keyOfAlgorithm(text, first);
    } catch (IOException e) {
      throw new TlsException(TlsPart.KEY, "cannot be read: " + e.getMessage(), e);
    } catch (Exception e) {
      // The parser throws exceptions of several types.
      throw new TlsException(
          TlsPart.KEY,
          "must contain an RSA or EC private key in PEM format without a password: " + file,
          e);
    }
  }

  private static PrivateKey key(byte[] encoded) throws GeneralSecurityException {
    InvalidKeySpecException last = new InvalidKeySpecException("unknown key algorithm");
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
      } catch (InvalidKeySpecException e) {
        last = e;
      }
    }
    throw last;
  }

  /** Reads a key with the parser of Vert.x, which requires a certificate together with the key. */
  private static PrivateKey keyOfAlgorithm(String text, X509Certificate certificate)
      throws Exception {
    PemKeyCertOptions pem =
        new PemKeyCertOptions()
            .addKeyValue(Buffer.buffer(text))
            .addCertValue(Buffer.buffer(pem(certificate)));
    for (KeyManager manager : pem.getKeyManagerFactory(null).getKeyManagers()) {
      if (manager instanceof X509KeyManager keys) {
        for (String algorithm : ALGORITHMS) {
          String[] aliases = keys.getServerAliases(algorithm, null);
          if (aliases != null && aliases.length > 0) {
            return keys.getPrivateKey(aliases[0]);
          }
        }
      }
    }
    throw new InvalidKeySpecException("the algorithms of the key and the certificate differ");
  }

  private static String pem(X509Certificate certificate) throws CertificateException {
    return "-----BEGIN CERTIFICATE-----\n"
        + Base64.getMimeEncoder().encodeToString(certificate.getEncoded())
        + "\n-----END CERTIFICATE-----\n";
  }

  private static boolean matchesKey(PrivateKey key, X509Certificate certificate) {
    PublicKey publicKey = certificate.getPublicKey();
    if (key instanceof RSAKey own && publicKey instanceof RSAKey other) {
      return own.getModulus().equals(other.getModulus());
    }
    if (!key.getAlgorithm().equals(publicKey.getAlgorithm())) {
      return false;
    }
    try {
      Signature checking = Signature.getInstance(signatureAlgorithm(key));
      checking.initVerify(publicKey);
      checking.update(SAMPLE);
      return checking.verify(signature(key));
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** Returns whether the JVM supports the key. RSA keys are only compared by their modulus. */
  private static boolean canSign(PrivateKey key) {
    try {
      return key instanceof RSAKey || signature(key).length > 0;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static byte[] signature(PrivateKey key) throws GeneralSecurityException {
    Signature signing = Signature.getInstance(signatureAlgorithm(key));
    signing.initSign(key);
    signing.update(SAMPLE);
    return signing.sign();
  }

  private static String signatureAlgorithm(PrivateKey key) {
    return key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : key.getAlgorithm();
  }

  private static String describe(PrivateKey key) {
    return key instanceof ECKey ec && ec.getParams() != null
        ? key.getAlgorithm() + " " + ec.getParams()
        : key.getAlgorithm();
  }

  /** Returns the algorithm of the key, such as {@code EC}. */
  String keyType() {
    return key.getAlgorithm();
  }

  private static Set<String> names(X509Certificate certificate) throws TlsException {
    Set<String> names = new LinkedHashSet<>();
    try {
      if (certificate.getSubjectAlternativeNames() != null) {
        for (List<?> name : certificate.getSubjectAlternativeNames()) {
          if (name.get(0).equals(DNS_NAME)) {
            names.add(String.valueOf(name.get(1)).toLowerCase(Locale.ROOT));
          }
        }
        return Set.copyOf(names);
      }
    } catch (CertificateException e) {
      throw new TlsException(
          TlsPart.CERTIFICATE,
          "cannot read the names of the certificate: " + certificate.getSubjectX500Principal(),
          e);
    }
    Matcher name = COMMON_NAME.matcher(certificate.getSubjectX500Principal().getName());
    return name.find() ? Set.of(name.group(1).toLowerCase(Locale.ROOT)) : Set.of();
  }

  /** Returns whether the certificate is valid for a host. */
  boolean matches(String host) {
    String name = host.toLowerCase(Locale.ROOT);
    int dot = name.indexOf('.');
    return names.contains(name) || (dot > 0 && names.contains("*" + name.substring(dot)));
  }

  X509Certificate certificate() {
    return chain.get(0);
  }

  Instant expiry() {
    return certificate().getNotAfter().toInstant();
  }

  String subject() {
    return certificate().getSubjectX500Principal().getName();
  }

  /** Returns why clients reject the certificate at this time; null if it is valid. */
  @Nullable String invalidity(Instant now) {
    Instant begin = certificate().getNotBefore().toInstant();
    if (now.isAfter(expiry())) {
      return "the certificate of " + subject() + " expired at " + expiry();
    }
    return now.isBefore(begin)
        ? "the certificate of " + subject() + " is not valid before " + begin
        : null;
  }

  /** Returns problems that don't prevent the use of the certificate. */
  List<String> warnings(Instant now) {
    List<String> warnings = new ArrayList<>();
    String invalidity = invalidity(now);
    if (invalidity != null) {
      warnings.add(invalidity);
    }
    if (key instanceof RSAKey rsa && rsa.getModulus().bitLength() < MIN_RSA_BITS) {
      warnings.add(
          "the RSA key of "
              + subject()
              + " has only "
              + rsa.getModulus().bitLength()
              + " bits; clients may reject keys of less than "
              + MIN_RSA_BITS);
    }
    for (int i = 1; i < chain.size(); i++) {
      if (!isSignedBy(chain.get(i - 1), chain.get(i))) {
        warnings.add(
            "certificate "
                + i
                + " of the chain of "
                + subject()
                + " is not signed by the next one");
        break;
      }
    }
    return warnings;
  }

  private static boolean isSignedBy(X509Certificate certificate, X509Certificate signer) {
    try {
      certificate.verify(signer.getPublicKey());
      return certificate.getIssuerX500Principal().equals(signer.getSubjectX500Principal());
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
