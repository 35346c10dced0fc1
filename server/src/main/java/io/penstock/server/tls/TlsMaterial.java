package io.penstock.server.tls;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.TrustOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Certificates and keys, read from their files and validated. Immutable. */
public final class TlsMaterial {
  private final TlsFiles files;
  private final List<Identity> identities;
  private final List<X509Certificate> clientCas;
  private final byte[] fingerprint;
  private final Instant loadedAt = Instant.now();

  private TlsMaterial(
      TlsFiles files,
      List<Identity> identities,
      List<X509Certificate> clientCas,
      byte[] fingerprint) {
    this.files = files;
    this.fingerprint = fingerprint;
    this.identities = List.copyOf(identities);
    this.clientCas = List.copyOf(clientCas);
  }

  /**
   * Reads all files.
   *
   * @throws TlsException if a file is invalid, or a key does not match its certificate
   */
  public static TlsMaterial load(TlsFiles files) throws TlsException {
    byte[] fingerprint;
    try {
      // Taken before the files are read: if a file changes in between, the fingerprints differ and
      // the files are read again.
      fingerprint = fingerprint(files);
    } catch (IOException e) {
      throw new TlsException(
          TlsException.TlsPart.CERTIFICATE, "cannot read a TLS file: " + e.getMessage(), e);
    }
    List<Identity> identities = new ArrayList<>();
    for (TlsFiles.Pair pair : files.identities()) {
      Identity identity = Identity.load(pair);
      if (unusable(identity, files).containsAll(files.protocols())) {
        throw new TlsException(
            TlsException.TlsPart.CERTIFICATE,
            "no client can connect: proxy_tls_protocols and proxy_tls_ciphers allow no handshake"
                + " with the "
                + identity.keyType()
                + " key of "
                + pair.certificate());
      }
      identities.add(identity);
    }
    List<X509Certificate> clientCas =
        files.clientCa().isPresent()
            ? Identity.certificates(files.clientCa().get(), TlsException.TlsPart.CLIENT_CA)
            : List.of();
    return new TlsMaterial(files, identities, clientCas, fingerprint);
  }

  /** Returns the protocols with which no client can connect to a host of this certificate. */
  private static List<String> unusable(Identity identity, TlsFiles files) {
    return files.protocols().stream()
        .filter(protocol -> !TrialHandshake.succeeds(identity, protocol, files.ciphers()))
        .toList();
  }

  /**
   * Validates a file of certificate authorities that Vert.x will read.
   *
   * @throws TlsException if the file has no certificates, is malformed or not in PEM format
   */
  public static void checkAuthorities(Path file) throws TlsException {
    var unused = Identity.certificates(file, TlsException.TlsPart.CERTIFICATE);
    try {
      // The JDK also reads other formats.
      if (!new String(PemFile.read(file), ISO_8859_1).contains("-----BEGIN CERTIFICATE-----")) {
        throw new TlsException(
            TlsException.TlsPart.CERTIFICATE, "must contain certificates in PEM format: " + file);
      }
    } catch (IOException e) {
      throw new TlsException(
          TlsException.TlsPart.CERTIFICATE, "cannot be read: " + e.getMessage(), e);
    }
  }

  TlsFiles files() {
    return files;
  }

  /** Returns the fingerprint of the files at the time they were read. */
  byte[] fingerprint() {
    return fingerprint.clone();
  }

  /** Returns a hash of the content of the files. */
  static byte[] fingerprint(TlsFiles files) throws IOException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (TlsFiles.Pair pair : files.identities()) {
        digest.update(PemFile.read(pair.certificate()));
        digest.update(PemFile.read(pair.key()));
      }
      for (Path clientCa : files.clientCa().stream().toList()) {
        digest.update(PemFile.read(clientCa));
      }
      return digest.digest();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("SHA-256 is missing", e);
    }
  }

  /** Returns the options for Vert.x. */
  public ServerSSLOptions options() {
    ServerSSLOptions options =
        new ServerSSLOptions()
            .setUseAlpn(true)
            .setKeyCertOptions(KeyCertOptions.wrap(new SniKeyManager(identities)))
            .setEnabledSecureTransportProtocols(new LinkedHashSet<>(files.protocols()));
    files.ciphers().forEach(options::addEnabledCipherSuite);
    if (!clientCas.isEmpty()) {
      options
          .setClientAuth(files.clientRequired() ? ClientAuth.REQUIRED : ClientAuth.REQUEST)
          .setTrustOptions(TrustOptions.wrap(trust()));
    }
    return options;
  }

  private TrustManagerFactory trust() {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      for (int i = 0; i < clientCas.size(); i++) {
        store.setCertificateEntry(Integer.toString(i), clientCas.get(i));
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("cannot create an in-memory key store", e);
    }
  }

  /** Returns why clients currently reject a certificate; null if all are valid. */
  @Nullable String invalidity() {
    Instant now = Instant.now();
    for (Identity identity : identities) {
      String invalidity = identity.invalidity(now);
      if (invalidity != null) {
        return invalidity;
      }
    }
    return null;
  }

  /**
   * Returns problems that don't prevent the use of the certificates: expired ones, chains out of
   * order, short keys, protocols that no client can use.
   */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    for (Identity identity : identities) {
      warnings.addAll(identity.warnings(Instant.now()));
    }
    for (String protocol : files.protocols()) {
      if (identities.stream().allMatch(each -> unusable(each, files).contains(protocol))) {
        warnings.add(
            "no client can connect with "
                + protocol
                + ": proxy_tls_ciphers has no suite for the type of the keys");
      }
    }
    return warnings;
  }

  /** Returns the expiry time of the certificate that expires first. */
  public Instant expiry() {
    return identities.stream()
        .map(Identity::expiry)
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  public Instant loadedAt() {
    return loadedAt;
  }

  public int certificates() {
    return identities.size();
  }
}
