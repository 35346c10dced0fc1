package io.penstock.server.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates created by keytool: one key store, PEM files for servers, contexts for clients. */
public final class TestPki {
  private static final String PASSWORD = "changeit";

  private final Path folder;
  private final Path store;

  public TestPki(Path folder) {
    this.folder = folder;
    this.store = folder.resolve("pki.p12");
  }

  /**
   * Creates a self-signed certificate.
   *
   * @param algorithm such as EC
   * @param options further options of keytool
   */
  public TestPki make(String alias, String algorithm, String... options) throws Exception {
    List<String> words =
        new ArrayList<>(
            List.of("-genkeypair", "-keyalg", algorithm, "-dname", "CN=" + alias, "-alias", alias));
    words.addAll(List.of(options));
    keytool(words);
    return this;
  }

  /** Writes a certificate to a file. */
  public Path certificate(String alias, Path into) throws Exception {
    return write(into.resolve(alias + ".crt"), "CERTIFICATE", x509(alias).getEncoded());
  }

  /** Writes the key of a certificate to a file. */
  public Path key(String alias, Path into) throws Exception {
    byte[] key = keys().getKey(alias, PASSWORD.toCharArray()).getEncoded();
    return write(into.resolve(alias + ".key"), "PRIVATE KEY", key);
  }

  X509Certificate x509(String alias) throws Exception {
    return (X509Certificate) keys().getCertificate(alias);
  }

  private static Path write(Path file, String type, byte[] encoded) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    return Files.writeString(
        file, "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
  }

  /**
   * Returns the context of a client that trusts all these certificates, and sends one of them if
   * requested.
   */
  SSLContext client(String... own) throws Exception {
    KeyStore all = keys();
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    for (String alias : java.util.Collections.list(all.aliases())) {
      trusted.setCertificateEntry(alias, all.getCertificate(alias));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    KeyStore shown = KeyStore.getInstance("PKCS12");
    shown.load(null, null);
    for (String alias : own) {
      shown.setKeyEntry(
          alias,
          all.getKey(alias, PASSWORD.toCharArray()),
          PASSWORD.toCharArray(),
          all.getCertificateChain(alias));
    }
    KeyManagerFactory identity =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    identity.init(shown, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(identity.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private KeyStore keys() throws IOException, GeneralSecurityException {
    return KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
  }

  private void keytool(List<String> words) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(words);
    command.addAll(
        List.of("-keystore", store.toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
    Path log = folder.resolve("keytool.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(Files.readString(log));
    }
  }
}
