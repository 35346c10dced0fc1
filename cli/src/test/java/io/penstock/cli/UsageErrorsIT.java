package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that startup errors are reported in one line each and stop the process. */
@Tag("full")
class UsageErrorsIT {
  @TempDir Path folder;

  private JarRun runToEnd(String... args) {
    JarRun run = JarRun.start(folder, List.of(args));
    run.await();
    return run;
  }

  @Test
  void serve_portInUse_isOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        JarRun run =
            runToEnd(
                "serve",
                "--host=127.0.0.1",
                "--port=" + taken.getLocalPort(),
                "--admin-port=" + Ports.free())) {
      assertThat(run.await()).isEqualTo(1);
      assertThat(run.err().lines()).hasSize(1);
      assertThat(run.err().strip())
          .isEqualTo(
              "--port: can't listen on port "
                  + taken.getLocalPort()
                  + ": Address already in use; 0 selects a free port");
    }
  }

  @Test
  void serve_adminPortInUse_isOneLine() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        JarRun run =
            runToEnd(
                "serve",
                "--host=127.0.0.1",
                "--port=" + Ports.free(),
                "--admin-port=" + taken.getLocalPort())) {
      assertThat(run.await()).isEqualTo(1);
      assertThat(run.err().lines()).hasSize(1);
      assertThat(run.err()).contains("--admin-port", "in use");
    }
  }

  @Test
  void serve_invalidPolicy_reportsAllErrors() throws IOException {
    Files.writeString(folder.resolve("policy.yaml"), "name: a\nlimit_keys: no\nrate: 1/s\nx: 1\n");
    try (JarRun run = runToEnd("serve", "--policy=policy.yaml")) {
      assertThat(run.await()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err().lines())
          .hasSize(6)
          .as("each error with its source line and a caret")
          .allMatch(line -> line.startsWith("policy.yaml:") || line.startsWith("  "))
          .anyMatch(line -> line.startsWith("policy.yaml:4:1: x: unknown field"));
    }
  }

  @Test
  void serve_invalidSettingsFile_reportsAllErrors() throws IOException {
    Files.writeString(folder.resolve("penstock.yaml"), "port: x\nadmin_prot: 1\n");
    try (JarRun run = runToEnd("serve")) {
      assertThat(run.await()).isEqualTo(2);
      assertThat(run.err().lines())
          .containsExactly(
              "penstock.yaml:1:7: port: must be a whole number from 0 to 65535: x",
              "penstock.yaml:2:1: admin_prot: unknown field; did you mean admin_port?");
    }
  }

  @Test
  void serve_settingsFileWithAnotherExtension_isWarnedAbout() throws IOException {
    Files.writeString(folder.resolve("penstock.yml"), "port: 1\n");
    try (JarRun run = runToEnd("serve", "--print-config")) {
      assertThat(run.await()).isZero();
      assertThat(run.err().lines())
          .containsExactly("penstock.yml is ignored; settings are read from penstock.yaml");
    }
  }

  @Test
  void serve_keyOfAnotherCertificate_isOneLine() throws Exception {
    SelfSigned own = SelfSigned.make(folder, "own", "RSA");
    SelfSigned other = SelfSigned.make(folder, "other", "RSA");
    try (JarRun run =
        runToEnd(
            "serve",
            "--upstream=http://127.0.0.1:1",
            "--proxy-tls-cert=" + own.certificate(),
            "--proxy-tls-key=" + other.key())) {
      assertThat(run.await()).isEqualTo(2);
      assertThat(run.err().strip())
          .isEqualTo(
              "--proxy-tls-key: %s is not the private key of the certificate %s"
                  .formatted(other.key(), own.certificate()));
    }
  }

  @Test
  void serve_certificateAsKey_isOneLine() throws Exception {
    SelfSigned own = SelfSigned.make(folder, "own", "RSA");
    try (JarRun run =
        runToEnd(
            "serve",
            "--upstream=http://127.0.0.1:1",
            "--proxy-tls-cert=" + own.certificate(),
            "--proxy-tls-key=" + own.certificate())) {
      assertThat(run.await()).isEqualTo(2);
      assertThat(run.out()).isEmpty();
      assertThat(run.err().strip())
          .isEqualTo(
              "--proxy-tls-key: must contain an RSA or EC private key in PEM format without a"
                  + " password: "
                  + own.certificate());
    }
  }

  @Test
  void print_readerClosesThePipe_printsNoStackTrace() {
    String penstock = JarRun.JAVA + " -jar " + JarRun.JAR;
    try (JarRun run =
        JarRun.startCommand(
            folder, List.of("bash", "-c", penstock + " schema | head -n 1; wait"))) {
      assertThat(run.await()).isZero();
      assertThat(run.out().lines()).hasSize(1);
      assertThat(run.err()).isEmpty();
    }
  }

  @Test
  void print_diskFull_fails() {
    assumeTrue(Files.exists(Path.of("/dev/full")));
    String penstock = JarRun.JAVA + " -jar " + JarRun.JAR;
    try (JarRun run =
        JarRun.startCommand(folder, List.of("bash", "-c", penstock + " sample > /dev/full"))) {
      assertThat(run.await()).isEqualTo(1);
    }
  }
}
