package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunLogTest {
  @TempDir private Path folder;

  @Test
  void add_severalRuns_areAppended() throws IOException {
    RunLog first =
        RunLog.open(folder, "2026-01-02T03:04:05Z", "abc", "EPYC, 2 cores", "17", "bench/run all");
    first.of("local", "limiters").add("hot key, denied", "ours", 1, "ops/s", 30_123_456.789);
    RunLog second =
        RunLog.open(folder, "2026-01-03T03:04:05Z", "abd+", "EPYC, 2 cores", "17", "bench/run all");
    second.of("redis", "limiters").add("per_user", "\"ours\"", 2, "calls", 0.000012345678);

    assertThat(folder.resolve("runs.csv"))
        .hasContent(
            """
            started,commit,machine,java,command
            2026-01-02T03:04:05Z,abc,"EPYC, 2 cores",17,bench/run all
            2026-01-03T03:04:05Z,abd+,"EPYC, 2 cores",17,bench/run all
            """);
    assertThat(folder.resolve("figures.csv"))
        .hasContent(
            """
            started,part,row,contender,round,figure,value
            2026-01-02T03:04:05Z,local limiters,"hot key, denied",ours,1,ops/s,30123500
            2026-01-03T03:04:05Z,redis limiters,per_user,""\"ours""\",2,calls,0.0000123457
            """);
  }

  @Test
  void add_none_keepsNothing() {
    RunLog.none().of("local", "limiters").add("row", "ours", 1, "ops/s", 1);

    assertThat(folder).isEmptyDirectory();
  }
}
