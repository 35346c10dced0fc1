package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests on virtual threads make progress on any number of carriers. */
class VirtualThreadsTest {
  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

  @ParameterizedTest
  @CsvSource({"1, 4", "2, 4", "2, 16", "4, 4", "4, 64"})
  void all_onVirtualThreads_makesProgress(int carriers, int threads) throws Exception {
    assumeTrue(
        Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS,
        "needs a JDK with virtual threads");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
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
}
