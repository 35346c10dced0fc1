package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs a copy of {@code ./penstock} in a checkout whose Maven and Java are scripts. */
@Tag("full")
class LauncherIT {
  private static final Path LAUNCHER = Path.of("..", "penstock");

  /** Prints lines of {@code mvnw -B package}. */
  private static final String BUILD =
      """
      [INFO] Scanning for projects...
      [INFO] Reactor Build Order:
      [INFO] Penstock Core                                                      [jar]
      [INFO] ---------------------< io.penstock:penstock-core >----------------------
      [INFO] Building Penstock Core 0.1.0-SNAPSHOT                              [2/6]
      [INFO]   from core/pom.xml
      [INFO] Building jar: core/target/penstock-core-0.1.0-SNAPSHOT.jar
      [INFO] Building Penstock CLI 0.1.0-SNAPSHOT                               [6/6]
      """;

  @TempDir Path folder;
  private Path checkout;
  private Path temp;

  @BeforeEach
  void copy() throws IOException {
    checkout = Files.createDirectory(folder.resolve("check out"));
    temp = Files.createDirectory(folder.resolve("tmp"));
    Files.createDirectories(checkout.resolve("cli/target"));
    Files.createDirectories(checkout.resolve("core/src/main"));
    Files.writeString(checkout.resolve("core/src/main/Limit.java"), "source");
    script(checkout.resolve("penstock"), Files.readString(LAUNCHER));
    Path bin = Files.createDirectories(folder.resolve("java/bin"));
    script(bin.resolve("java"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
  }

  private static void script(Path file, String content) throws IOException {
    Files.writeString(file, content);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  private void maven(String end) throws IOException {
    script(checkout.resolve("mvnw"), "#!/bin/sh\ncat <<'EOF'\n" + BUILD + "EOF\n" + end);
  }

  private void mavenThatSucceeds() throws IOException {
    maven("touch cli/target/penstock.jar\n");
  }

  private JarRun run(Path command, String... args) {
    List<String> line =
        new ArrayList<>(List.of("env", "JAVA_HOME=" + folder.resolve("java"), "TMPDIR=" + temp));
    line.add(command.toString());
    line.addAll(List.of(args));
    return JarRun.startCommand(folder, line);
  }

  @Test
  void run_withoutAJar_printsTheProgressOfTheBuild() throws IOException {
    mavenThatSucceeds();
    Path launcher = checkout.resolve("penstock");
    try (JarRun run = run(launcher, "serve", "a b")) {
      assertThat(run.await()).as(run.err()).isZero();
      assertThat(run.err().lines())
          .containsExactly(
              "penstock: building cli/target/penstock.jar, about a minute the first time",
              "penstock:   2 of 6: Building Penstock Core",
              "penstock:   6 of 6: Building Penstock CLI");
      assertThat(run.out().lines())
          .contains("-Dpenstock.command=" + launcher)
          .endsWith("-jar", checkout.resolve("cli/target/penstock.jar").toString(), "serve", "a b");
    }
    assertThat(temp).isEmptyDirectory();

    try (JarRun again = run(launcher)) {
      assertThat(again.await()).isZero();
      assertThat(again.err()).as("built once").isEmpty();
    }
  }

  @Test
  void run_buildFails_printsItsLog() throws IOException {
    maven("echo '[ERROR] cannot find symbol' >&2\nexit 1\n");
    try (JarRun run = run(checkout.resolve("penstock"), "serve")) {
      assertThat(run.await()).isEqualTo(1);
      assertThat(run.err())
          .contains(BUILD)
          .endsWith(
              "[ERROR] cannot find symbol\npenstock: the build failed; its messages are above\n");
      assertThat(run.out()).isEmpty();
    }
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void run_commandsThatReadLogs_useTheSerialCollector() throws IOException {
    mavenThatSucceeds();
    Path bin = Files.createDirectories(folder.resolve("installed/bin"));
    script(bin.resolve("penstock"), Files.readString(Path.of("src", "dist", "penstock")));
    for (Path launcher : List.of(checkout.resolve("penstock"), bin.resolve("penstock"))) {
      for (String command : List.of("replay", "advise", "serve")) {
        try (JarRun run = run(launcher, command)) {
          assertThat(run.await()).as(run.err()).isZero();
          assertThat(run.out().contains("-XX:+UseSerialGC")).isEqualTo(!command.equals("serve"));
        }
      }
      try (JarRun run =
          run(Path.of("env"), "PENSTOCK_JAVA_OPTS=-XX:+UseG1GC", launcher + "", "advise")) {
        assertThat(run.await()).as(run.err()).isZero();
        assertThat(run.out()).contains("-XX:+UseG1GC").doesNotContain("Serial");
      }
    }
  }

  @Test
  void run_throughSymbolicLinks_findsTheCheckout() throws IOException {
    mavenThatSucceeds();
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Path link = Files.createSymbolicLink(elsewhere.resolve("link"), checkout.resolve("penstock"));
    Path linkToLink =
        Files.createSymbolicLink(folder.resolve("again"), Path.of("elsewhere", "link"));
    for (Path command : List.of(link, linkToLink)) {
      try (JarRun run = run(command, "--version")) {
        assertThat(run.await()).as(run.err()).isZero();
        assertThat(run.out().lines())
            .endsWith("-jar", checkout.resolve("cli/target/penstock.jar").toString(), "--version");
      }
    }
  }
}
