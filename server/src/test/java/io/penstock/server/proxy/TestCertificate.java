package io.penstock.server.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A new self-signed certificate for 127.0.0.1, created by keytool. */
final class TestCertificate {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "server";

  private final Path folder;
  private final KeyStore keys;

  TestCertificate(Path folder) throws IOException, GeneralSecurityException {
    this.folder = folder;
    Path store = folder.resolve("keys.p12");
    keytool(
        List.of(
            "-genkeypair -keyalg EC -dname CN=server -ext san=ip:127.0.0.1 -storetype PKCS12"
                .split(" ")),
        store);
    this.keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    byte[] key = keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
    Files.writeString(keyFile(), pem("PRIVATE KEY", key));
    byte[] certificate = keys.getCertificate(ALIAS).getEncoded();
    Files.writeString(certificateFile(), pem("CERTIFICATE", certificate));
  }

  Path keyFile() {
    return folder.resolve("key.pem");
  }

  Path certificateFile() {
    return folder.resolve("certificate.pem");
  }

  /** Returns a context for clients that trust only this certificate. */
  SSLContext trusting() throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry(ALIAS, keys.getCertificate(ALIAS));
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  private void keytool(List<String> words, Path store) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(words);
    command.addAll(List.of("-alias", ALIAS, "-keystore", store.toString(), "-storepass", PASSWORD));
    Path log = folder.resolve("keytool.log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException(Files.readString(log));
      }
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }

  private static String pem(String part, byte[] encoded) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    return "-----BEGIN " + part + "-----\n" + text + "\n-----END " + part + "-----\n";
  }
}
