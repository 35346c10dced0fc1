package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests on virtual threads make progress on any number of carriers. */
class VirtualThreadsTest {
  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;
  private static final Pattern VERSION = Pattern.compile("[0-9]+");

  @ParameterizedTest
  @CsvSource({"1, 4", "2, 4", "2, 16", "4, 4", "4, 64"})
  void all_onVirtualThreads_makesProgress(int carriers, int threads) throws Exception {
    Path java = java().orElse(null);
    assumeTrue(java != null, "needs a JDK with virtual threads, here or next to this one");
    Process process =
        new ProcessBuilder(
                java.toString(),
                "-Djdk.virtualThreadScheduler.parallelism=" + carriers,
                "-Djdk.virtualThreadScheduler.maxPoolSize=" + carriers,
                "-cp",
                System.getProperty("java.class.path"),
                VirtualThreads.class.getName(),
                Integer.toString(threads))
            .redirectErrorStream(true)
            .start();
    try {
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as("all requests are answered").isTrue();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(output).contains("granted=100000");
    } finally {
      process.destroyForcibly();
    }
  }

  /** Returns the program of this JDK or of another one on this machine; empty if all are older. */
  private static Optional<Path> java() throws IOException {
    Path own = Path.of(System.getProperty("java.home"));
    List<Path> homes = new ArrayList<>(List.of(own));
    System.getenv().entrySet().stream()
        .filter(variable -> variable.getKey().matches("JAVA_HOME_[0-9]+.*"))
        .forEach(variable -> homes.add(Path.of(variable.getValue())));
    try (Stream<Path> siblings = Files.list(own.resolveSibling("."))) {
      siblings.sorted().forEach(homes::add);
    }
    return homes.stream()
        .filter(home -> version(home) >= FIRST_WITH_VIRTUAL_THREADS)
        .map(home -> home.resolve("bin").resolve("java"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns the feature version of a JDK; 0 if a folder has none. */
  private static int version(Path home) {
    Properties release = new Properties();
    try (Reader text = Files.newBufferedReader(home.resolve("release"))) {
      release.load(text);
    } catch (IOException none) {
      return 0;
    }
    Matcher version = VERSION.matcher(release.getProperty("JAVA_VERSION", ""));
    return version.find() ? Integer.parseInt(version.group()) : 0;
  }
}
