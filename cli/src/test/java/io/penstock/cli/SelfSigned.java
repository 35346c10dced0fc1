package io.penstock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/** A self-signed certificate for 127.0.0.1 in PEM files, created with keytool. */
public record SelfSigned(Path certificate, Path key) {
  private static final String PASSWORD = "changeit";

  /**
   * Creates a certificate and its key.
   *
   * @param name the base name of the files in {@code folder}
   * @param algorithm RSA or EC
   */
  public static SelfSigned make(Path folder, String name, String algorithm) throws Exception {
    Path store = folder.resolve(name + ".p12");
    String words =
        "-genkeypair -alias own -dname CN=%s -ext san=ip:127.0.0.1 -storetype PKCS12 -storepass %s"
            .formatted(name, PASSWORD);
    ProcessBuilder keytool =
        new ProcessBuilder(JarRun.JAVA.resolveSibling("keytool").toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile());
    for (String word : words.split(" ", -1)) {
      keytool.command().add(word);
    }
    keytool.command().add("-keyalg");
    keytool.command().add(algorithm);
    keytool.command().add("-keystore");
    keytool.command().add(store.toString());
    Process process = keytool.start();
    if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(Files.readString(folder.resolve(name + ".log")));
    }
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    byte[] key = keys.getKey("own", PASSWORD.toCharArray()).getEncoded();
    byte[] certificate = keys.getCertificate("own").getEncoded();
    return new SelfSigned(
        Files.writeString(folder.resolve(name + ".crt"), pem("CERTIFICATE", certificate)),
        Files.writeString(folder.resolve(name + ".key"), pem("PRIVATE KEY", key)));
  }

  private static String pem(String type, byte[] encoded) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    return "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n";
  }
}
