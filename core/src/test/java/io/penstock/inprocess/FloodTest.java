package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** P7 at full size: a flood of invented keys in a JVM with a heap of 512 MiB. */
class FloodTest {
  private static final long MEBIBYTE = 1 << 20;

  @Test
  void flood_ofTenMillionKeysAtACapOfOneMillion_staysFlatAndResetsNobody() throws Exception {
    Process flood =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-cp",
                System.getProperty("java.class.path"),
                Flood.class.getName())
            .redirectErrorStream(true)
            .start();
    Map<String, Long> figures = new HashMap<>();
    StringBuilder output = new StringBuilder();
    try (BufferedReader reader = flood.inputReader()) {
      reader
          .lines()
          .forEach(
              line -> {
                output.append(line).append('\n');
                String[] parts = line.split("=", 2);
                if (parts.length == 2 && parts[1].matches("-?\\d+")) {
                  figures.put(parts[0], Long.parseLong(parts[1]));
                }
              });
    }
    assertThat(flood.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(flood.exitValue()).as("%s", output).isZero();
    assertThat(figures.get("most")).as("%s", output).isLessThanOrEqualTo(1_000_000);
    assertThat(figures.get("kept")).as("%s", output).isGreaterThan(990_000);
    assertThat(figures.get("denied")).as("%s", output).isEqualTo(1_000);
    assertThat(figures.get("grown")).as("%s", output).isLessThan(16 * MEBIBYTE);
    assertThat(figures.get("used")).as("%s", output).isLessThan(80 * MEBIBYTE);
  }
}
