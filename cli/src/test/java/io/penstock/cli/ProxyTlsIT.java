package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.penstock.cli.recipes.Program;
import io.penstock.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests TLS of the real process with OpenSSL as the client. */
@Tag("full")
class ProxyTlsIT {
  @TempDir Path folder;

  /** Returns the output of s_client. */
  private String connect(int port, String... options) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Program.onPath("openssl"), "s_client", "-connect", "127.0.0.1:" + port, "-brief"));
    command.addAll(List.of(options));
    String line = String.join(" ", command) + " </dev/null";
    try (JarRun client = JarRun.startCommand(folder, List.of("sh", "-c", line))) {
      client.await();
      return client.out() + client.err();
    }
  }

  @Test
  void openssl_suites_onlyThoseWithForwardSecrecyAndAead() throws Exception {
    SelfSigned selfSigned = SelfSigned.make(folder, "one", "RSA");
    int port = Ports.free();
    try (Service service = start(port, selfSigned)) {
      assertThat(service.admin("/readyz").body()).contains("\"tls\":{\"certificates\":1,");
      assertThat(connect(port, "-tls1_3")).contains("Protocol version: TLSv1.3");
      assertThat(connect(port, "-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"))
          .contains("Ciphersuite: ECDHE-RSA-AES128-GCM-SHA256");
      for (String weak : List.of("AES128-SHA", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA256")) {
        assertThat(connect(port, "-tls1_2", "-cipher", weak))
            .as(weak)
            .doesNotContain("CONNECTION ESTABLISHED");
      }
      assertThat(connect(port, "-tls1_1")).doesNotContain("CONNECTION ESTABLISHED");
    }
  }

  @Test
  void sighup_newCertificate_isServedWithoutRestart() throws Exception {
    assumeThat(List.of("Linux", "Mac OS X")).contains(System.getProperty("os.name"));
    SelfSigned one = SelfSigned.make(folder, "one", "RSA");
    SelfSigned two = SelfSigned.make(folder, "two", "EC");
    int port = Ports.free();
    try (Service service = start(port, one)) {
      assertThat(connect(port)).containsPattern("CN ?= ?one").contains("ESTABLISHED");

      Files.copy(two.certificate(), one.certificate(), StandardCopyOption.REPLACE_EXISTING);
      Files.copy(two.key(), one.key(), StandardCopyOption.REPLACE_EXISTING);
      service.process().signal("HUP");

      await("new certificate").until(() -> connect(port).matches("(?s).*CN ?= ?two.*"));
      assertThat(service.process().err()).contains("TLS certificates reloaded");
    }
  }

  @Test
  void start_keysInOlderFormats_areReadAndChecked() throws Exception {
    SelfSigned rsa = SelfSigned.make(folder, "rsa", "RSA");
    SelfSigned ec = SelfSigned.make(folder, "ec", "EC");
    openssl("rsa -traditional -in rsa.key -out rsa-pkcs1.key");
    openssl("ec -in ec.key -out ec-sec1.key");
    assertThat(Files.readString(folder.resolve("rsa-pkcs1.key"))).contains("RSA PRIVATE KEY");
    assertThat(Files.readString(folder.resolve("ec-sec1.key"))).contains("EC PRIVATE KEY");

    assertThat(statusOf(rsa, "rsa-pkcs1.key")).isZero();
    assertThat(statusOf(ec, "ec-sec1.key")).isZero();
    assertThat(statusOf(rsa, "ec-sec1.key")).isEqualTo(2);
    assertThat(statusOf(ec, "rsa-pkcs1.key")).isEqualTo(2);
  }

  private void openssl(String words) {
    List<String> command = new ArrayList<>(List.of(Program.onPath("openssl")));
    command.addAll(List.of(words.split(" ", -1)));
    try (JarRun run = JarRun.startCommand(folder, command)) {
      assertThat(run.await()).as(run.err()).isZero();
    }
  }

  /** Returns the exit status of {@code serve --print-config} with this certificate and key. */
  private int statusOf(SelfSigned selfSigned, String key) {
    List<String> args =
        List.of(
            "serve",
            "--print-config",
            "--upstream=http://127.0.0.1:1",
            "--proxy-tls-cert=" + selfSigned.certificate(),
            "--proxy-tls-key=" + folder.resolve(key));
    try (JarRun run = JarRun.start(folder, args)) {
      return run.await();
    }
  }

  private Service start(int port, SelfSigned selfSigned) {
    return Service.start(
        folder,
        "--upstream=http://127.0.0.1:1",
        "--proxy-host=127.0.0.1",
        "--proxy-port=" + port,
        "--proxy-tls-cert=" + selfSigned.certificate(),
        "--proxy-tls-key=" + selfSigned.key());
  }
}
