package io.penstock.bench.logs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class CombinedLogTest {
  private static String log(long lines) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new CombinedLog(1_000).write(lines, out);
    return out.toString(US_ASCII);
  }

  @Test
  void write_anyLength_isTheSameInEveryRun() throws IOException {
    List<String> lines = log(2_000).lines().toList();

    assertThat(lines)
        .hasSize(2_000)
        .allMatch(
            line ->
                line.matches(
                    "10\\.\\d+\\.\\d+\\.\\d+ - - \\[10/Oct/2025:00:00:0\\d \\+0000] "
                        + "\"[A-Z]+ /[a-z0-9/.?=]* HTTP/[12]\\.[01]\" 200 \\d+ \"-\" \"[^\"]+\""));
    assertThat(log(2_000)).isEqualTo(log(2_000)).startsWith(log(1_000));
    assertThat(lines.stream().map(line -> line.split(" ", 2)[0]).distinct().count())
        .isBetween(300L, 1_000L);
  }
}
