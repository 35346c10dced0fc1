package io.penstock.policy.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Lines and logs that look like requests but aren't, or only in part. */
class DoubtfulLinesTest {
  private static final String HAPROXY =
      "192.0.2.1:5678 [10/Oct/2025:13:55:36.000] front back/s1 0/0/1/2/3 200 23 - - ---- "
          + "1/1/0/0/0 0/0 \"GET /a/long/path?b=c HTTP/1.1\"\n";

  private final List<LogEntry> entries = new ArrayList<>();

  private ReadSummary read(String... logs) {
    List<LogSource> sources = new ArrayList<>();
    for (int i = 0; i < logs.length; i++) {
      sources.add(LogSource.of("log" + i, new ByteArrayInputStream(logs[i].getBytes(UTF_8))));
    }
    LogStream stream = new LogStream(sources, LogOptions.of(LogFields.basic()));
    entries.clear();
    stream.forEach(entries::add);
    return stream.summary();
  }

  @Test
  void haproxy_lineCutInTheRequest_isCounted() {
    for (int cut = HAPROXY.indexOf('"'); cut < HAPROXY.length() - 2; cut++) {
      ReadSummary summary = read(HAPROXY + HAPROXY.substring(0, cut) + "\n");

      assertThat(entries).as("cut at %s", cut).hasSize(1);
      assertThat(summary.unreadable().counts())
          .containsExactly(Map.entry(UnreadableLines.Cause.OTHER_FORMAT, 1L));
    }
  }

  @Test
  void count_aboveAMillion_isCountedAsUnreadable() {
    ReadSummary summary =
        read(
            """
            time,ip,count
            1760000000,192.0.2.1,1000000
            1760000000,192.0.2.1,1000001
            1760000000,192.0.2.1,99999999999999999999999
            """);

    assertThat(entries).hasSize(1);
    assertThat(summary.unreadable().counts())
        .containsExactly(Map.entry(UnreadableLines.Cause.COUNT_TOO_LARGE, 2L));
  }

  @Test
  void time_firstLineInTheFuture_isCountedAsUnreadable() {
    String right = "1760000000,192.0.2.1\n1760000001,192.0.2.1\n";

    ReadSummary summary = read("time,ip\n4070908800,192.0.2.1\n" + right);

    assertThat(entries).hasSize(2);
    assertThat(summary.unreadable().counts())
        .containsExactly(Map.entry(UnreadableLines.Cause.OTHER_TIME, 1L));
    assertThat(summary.unreadable().samples().get(0).number()).isEqualTo(2);
  }

  @Test
  void time_daysApartInDescendingOrder_areRead() {
    StringBuilder log = new StringBuilder("time,ip\n");
    for (int day = 20; day > 0; day--) {
      log.append(1_760_000_000 + day * 2 * 86_400).append(",192.0.2.1\n");
    }

    assertThat(read(log.toString()).unreadable().total()).isZero();
    assertThat(entries).hasSize(20);
  }

  @Test
  void severalLogs_oneOfThemNoAccessLog_readsTheOthersAndNamesIt() {
    String log = "time,ip\n1760000000,192.0.2.1\n";
    String errors = "[error] upstream timed out\n".repeat(3);

    ReadSummary summary = read(log, errors, log);

    assertThat(entries).hasSize(2);
    assertThat(summary.unreadable().problems())
        .containsExactly(
            "1 of 3 logs are left out, because their format is not recognized: log1 (3 lines)");
    assertThatThrownBy(() -> read(errors, errors))
        .isInstanceOf(AccessLogException.class)
        .hasMessageContaining("log0: the format is not recognized");
  }
}
