package io.penstock.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A self-signed certificate for 127.0.0.1, created by keytool for each test. */
final class ServerCertificate {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "redis";

  private final Path folder;
  private final Path store;

  ServerCertificate(Path folder) throws IOException, GeneralSecurityException {
    this.folder = folder;
    this.store = folder.resolve("keys.p12");
    keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=redis", "-ext", "san=ip:127.0.0.1");
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    byte[] key = keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
    Files.writeString(keyFile(), pem("PRIVATE KEY", key));
    byte[] certificate = keys.getCertificate(ALIAS).getEncoded();
    Files.writeString(certificateFile(), pem("CERTIFICATE", certificate));
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
    try (var out = Files.newOutputStream(trustStore())) {
      trusted.store(out, PASSWORD.toCharArray());
    }
  }

  /** Starts a server that uses this certificate on a port. */
  RedisProcess startServer(int port) {
    return startServer(port, "no");
  }

  /**
   * Starts a server that uses this certificate on a port.
   *
   * @param clients whether clients need a certificate, which is this one: yes or no
   */
  RedisProcess startServer(int port, String clients) {
    return RedisProcess.start(
        "--tls-port",
        "" + port,
        "--tls-cert-file",
        certificateFile().toString(),
        "--tls-key-file",
        keyFile().toString(),
        "--tls-ca-cert-file",
        certificateFile().toString(),
        "--tls-auth-clients",
        clients);
  }

  Path keyFile() {
    return folder.resolve("key.pem");
  }

  Path certificateFile() {
    return folder.resolve("certificate.pem");
  }

  private Path trustStore() {
    return folder.resolve("trusted.p12");
  }

  /** Makes the JVM trust this certificate only. */
  void trust() {
    System.setProperty("javax.net.ssl.trustStore", trustStore().toString());
    System.setProperty("javax.net.ssl.trustStorePassword", PASSWORD);
  }

  static void trustAsUsual() {
    System.clearProperty("javax.net.ssl.trustStore");
    System.clearProperty("javax.net.ssl.trustStorePassword");
  }

  private void keytool(String... words) throws IOException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(words));
    command.addAll(List.of("-alias", ALIAS, "-keystore", store.toString()));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.log").toFile())
            .start();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException(Files.readString(folder.resolve("keytool.log")));
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static String pem(String what, byte[] encoded) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
  }
}
