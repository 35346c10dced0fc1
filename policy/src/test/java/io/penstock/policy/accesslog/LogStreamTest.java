package io.penstock.policy.accesslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import io.penstock.policy.Attribute;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LogStreamTest {
  private static final String LINE =
      "192.0.2.1 - - [10/Oct/2025:13:55:36 +0000] \"GET /a?b=c HTTP/1.1\" 200 23 \"-\" \"curl\"";
  private static final LogFields FIELDS =
      new LogFields(
          List.of(Attribute.parse("header:user-agent"), Attribute.parse("user_id")), Map.of());

  /** A read log. */
  private record Outcome(List<LogEntry> entries, ReadSummary summary) {
    LogEntry only() {
      assertThat(entries).as("%s", summary.unreadable().samples()).hasSize(1);
      return entries.get(0);
    }

    List<Long> millis() {
      return entries.stream().map(entry -> entry.timeNanos() / 1_000_000).toList();
    }
  }

  private static Outcome read(byte[]... logs) {
    return read(LogOptions.of(FIELDS), logs);
  }

  private static Outcome read(String log) {
    return read(log.getBytes(UTF_8));
  }

  private static Outcome read(LogOptions options, byte[]... logs) {
    LogStream stream =
        new LogStream(
            Arrays.stream(logs)
                .map(log -> LogSource.of("log", new ByteArrayInputStream(log)))
                .toList(),
            options);
    List<LogEntry> entries = new ArrayList<>();
    stream.forEach(entries::add);
    return new Outcome(entries, stream.summary());
  }

  static List<Arguments> lines() {
    String agent = "curl";
    return List.of(
        Arguments.of("combined", LINE, agent),
        Arguments.of(
            "combined with a virtual host and more fields",
            "www.example.com:443 " + LINE + " \"203.0.113.9\" 0.004",
            agent),
        Arguments.of(
            "common", LINE.substring(0, LINE.indexOf(" \"-\"")).replace("- -", "- alice"), null),
        Arguments.of(
            "haproxy",
            "192.0.2.1:5678 [10/Oct/2025:13:55:36.000] front back/s1 0/0/1/2/3 200 23 - - ---- "
                + "1/1/0/0/0 0/0 {curl} \"GET /a?b=c HTTP/1.1\"",
            null),
        Arguments.of(
            "haproxy through syslog",
            "<134>Oct 10 13:55:36 lb haproxy[99]: 192.0.2.1:5678 [10/Oct/2025:13:55:36.000] front "
                + "back/s1 0/0/1/2/3 200 23 - - ---- 1/1/0/0/0 0/0 \"GET /a?b=c HTTP/1.1\"",
            null),
        Arguments.of(
            "alb",
            "https 2025-10-10T13:55:36.000000Z app/lb/1 192.0.2.1:2817 10.0.0.1:80 0.0 0.0 0.0 200"
                + " 200 34 366 \"GET https://www.example.com:443/a?b=c HTTP/1.1\" \"curl\" - - x",
            agent),
        Arguments.of(
            "nginx JSON",
            "{\"time\":\"2025-10-10T13:55:36+00:00\",\"remote_addr\":\"192.0.2.1\","
                + "\"request\":\"GET /a?b=c HTTP/1.1\",\"status\":200,\"http_user_agent\":\"curl\"}",
            agent),
        Arguments.of(
            "Envoy JSON",
            "{\"start_time\":\"2025-10-10T13:55:36.000Z\",\"method\":\"GET\",\"path\":\"/a?b=c\","
                + "\"authority\":\"www.example.com\",\"response_code\":200,\"user_agent\":\"curl\","
                + "\"downstream_remote_address\":\"192.0.2.1:4711\",\"x\":null}",
            agent),
        Arguments.of(
            "Caddy JSON",
            "{\"level\":\"info\",\"ts\":1760104536.0,\"logger\":\"http.log.access\",\"request\":"
                + "{\"remote_ip\":\"192.0.2.1\",\"proto\":\"HTTP/1.1\",\"method\":\"GET\",\"host\":"
                + "\"www.example.com\",\"uri\":\"/a?b=c\",\"headers\":{\"User-Agent\":[\"curl\"],"
                + "\"Accept\":[\"*/*\",\"x\"]}},\"duration\":0.1,\"status\":200}",
            agent),
        Arguments.of(
            "CloudFront",
            "#Version: 1.0\n#Fields: date time c-ip cs-method cs(Host) cs-uri-stem sc-status"
                + " cs(User-Agent) cs-uri-query\n"
                + "2025-10-10\t13:55:36\t192.0.2.1\tGET\tx.cloudfront.net\t/a\t200\tcurl\tb=c",
            agent),
        Arguments.of(
            "CSV",
            "time,ip,method,path,status,user_id\n"
                + "1760104536000,192.0.2.1,GET,\"/a?b=c\",200,\"al\"\"ice\"",
            null));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lines")
  void forEach_eachFormat_isDetectedAndRead(String name, String log, String agent) {
    LogEntry entry = read(log + "\n").only();

    assertThat(Instant.ofEpochSecond(entry.timeNanos() / 1_000_000_000))
        .isEqualTo(Instant.parse("2025-10-10T13:55:36Z"));
    assertThat(entry.address()).hasToString("192.0.2.1");
    assertThat(entry.method()).isEqualTo("GET");
    assertThat(entry.path()).isEqualTo("/a");
    assertThat(entry.query("b")).isEqualTo("c");
    assertThat(entry.status()).isEqualTo(200);
    assertThat(entry.header("user-agent")).isEqualTo(agent);
  }

  @Test
  void forEach_namedFields_areMapped() {
    LogFields fields =
        new LogFields(
            List.of(Attribute.parse("user_id")), Map.of("time", "when", "user_id", "u.id"));
    LogEntry entry =
        read(LogOptions.of(fields), "{\"when\":1760104536,\"u\":{\"id\":\"7\"}}".getBytes(UTF_8))
            .only();

    assertThat(entry.attribute("user_id")).isEqualTo("7");
  }

  @Test
  void forEach_unknownFormat_listsTheFormats() {
    assertThatThrownBy(() -> read("\u001b[31mhello\nworld\n"))
        .isInstanceOf(AccessLogException.class)
        .hasMessageContaining("\\x1B[31mhello")
        .hasMessageContaining("combined: common or combined log")
        .hasMessageContaining("csv: ");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lines")
  void forEach_firstLinesUnreadable_isDetectedAfterThem(String name, String log, String agent) {
    String noise = "starting up, version 1.2.3\n".repeat(10_000);
    String longLine = "x".repeat(10_000_000) + "\n";

    Outcome outcome = read(noise + longLine + log + "\n");

    assertThat(outcome.only().path()).isEqualTo("/a");
    assertThat(outcome.summary().formats()).hasSize(1);
    assertThat(outcome.summary().unreadable().total()).isEqualTo(10_001);
    assertThat(outcome.summary().unreadable().samples()).hasSize(4);
  }

  @Test
  void forEach_endlessNoise_isRejectedEarly() {
    byte[] noise = ("x".repeat(79) + "\n").repeat(200_000).getBytes(UTF_8);

    assertThatThrownBy(() -> read(noise))
        .isInstanceOf(AccessLogException.class)
        .hasMessageContaining("not recognized in its first 100000 lines");
  }

  @Test
  void forEach_fieldsOfOtherNames_isRejectedWithTheMissingOnes() {
    assertThatThrownBy(() -> read("{\"ts\":1760000000,\"client\":{\"addr\":\"192.0.2.1\"}}\n"))
        .isInstanceOf(AccessLogException.class)
        .hasMessageContaining("\nLine 1 may be json, but has no address, method or path.\n");
    assertThatThrownBy(() -> read("moment,ip\n1760000000,192.0.2.1\n"))
        .isInstanceOf(AccessLogException.class)
        .hasMessageNotContaining("may be");
  }

  @Test
  void forEach_emptyLog_isReported() {
    Outcome outcome = read("");

    assertThat(outcome.entries()).isEmpty();
    assertThat(outcome.summary().formats()).isEmpty();
    assertThat(outcome.summary().unreadable().problems()).containsExactly("log: is empty");
  }

  @Test
  void forEach_moreThanTheLimits_readsTheBeginningAndReportsIt() throws IOException {
    byte[] log = gzip((LINE + "\n").repeat(100_000).getBytes(UTF_8));
    byte[] counted = "time,ip,count\n1760000000,192.0.2.1,900000\n".getBytes(UTF_8);

    Outcome large = read(LogOptions.of(FIELDS).upTo(1 << 20, 1_000_000), log);
    Outcome many = read(LogOptions.of(FIELDS).upTo(1 << 30, 100), log);

    assertThat(large.entries()).hasSizeBetween(5_000, 20_000);
    assertThat(large.summary().unreadable().problems())
        .containsExactly("log: only the first 1024 KiB are read");
    assertThat(many.entries()).hasSize(100);
    assertThat(many.summary().unreadable().problems())
        .containsExactly("only the first 100 requests are read");
    assertThat(read(LogOptions.of(FIELDS).upTo(1 << 30, 100), counted).entries()).isEmpty();
  }

  @Test
  void forEach_hostileLines_areCountedAndHarmless() {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    log.writeBytes((LINE + "\n").getBytes(UTF_8));
    log.writeBytes(("x".repeat(10_000_000) + "\n").getBytes(UTF_8));
    log.writeBytes("\u001b]0;owned\u0007\u0000\n".getBytes(UTF_8));
    log.writeBytes(new byte[] {(byte) 0xff, (byte) 0xfe, '\n'});
    log.writeBytes((LINE.replace("GET /a", "GET /\u00ff") + "\r\n").getBytes(ISO_8859_1));
    log.writeBytes((LINE.substring(0, 60) + "\n").getBytes(UTF_8));
    log.writeBytes((LINE.replace("2025", "2099") + "\n" + LINE + "\n").getBytes(UTF_8));
    log.writeBytes(LINE.replace("10/Oct", "99/Oct").getBytes(UTF_8));

    Outcome outcome = read(log.toByteArray());

    assertThat(outcome.entries()).hasSize(3);
    assertThat(outcome.entries().get(1).path()).isEqualTo("/\ufffd");
    assertThat(outcome.summary().lines()).isEqualTo(9);
    assertThat(outcome.summary().unreadable().total()).isEqualTo(6);
    assertThat(outcome.summary().unreadable().counts())
        .containsEntry(UnreadableLines.Cause.TOO_LONG, 1L)
        .containsEntry(UnreadableLines.Cause.OTHER_TIME, 1L)
        .containsEntry(UnreadableLines.Cause.NO_TIME, 1L)
        .containsEntry(UnreadableLines.Cause.OTHER_FORMAT, 3L);
    assertThat(outcome.summary().unreadable().samples())
        .allMatch(sample -> sample.text().chars().noneMatch(c -> c < ' ' || c == 0x7f));
  }

  @Test
  void forEach_mixedFormats_areAllRead() {
    String json =
        "{\"time\":1760104536,\"remote_addr\":\"192.0.2.1\",\"request\":\"GET / HTTP/1.1\"}";

    assertThat(read(LINE + "\n" + LINE + "\n" + json + "\n").entries()).hasSize(3);
  }

  @Test
  void forEach_outOfOrder_isSortedWithinTheWindow() {
    StringBuilder log = new StringBuilder("time,ip\n");
    for (int second : new int[] {5, 3, 4, 30, 2}) {
      log.append(1_760_104_500 + second).append(".5,192.0.2.1\n");
    }

    Outcome outcome = read(log.toString());

    assertThat(outcome.millis()).hasSize(4).isSorted();
    assertThat(outcome.summary().late()).isOne();
  }

  @Test
  void forEach_descendingOrder_isReversed() {
    StringBuilder log = new StringBuilder("time,ip\n");
    for (int minute = 50_000; minute > 0; minute--) {
      log.append(1_760_000_000 + 60 * minute).append(".5,192.0.2.1\n");
    }

    Outcome outcome = read(log.toString());

    assertThat(outcome.millis()).hasSize(50_000).isSorted();
    assertThat(outcome.summary().late()).isZero();
  }

  @Test
  void forEach_wrongTimes_dontMoveTheClock() {
    String wrong = LINE.replace("2025", "2099") + "\n";
    String right = LINE + "\n";

    Outcome outcome = read(right.repeat(20) + wrong.repeat(9) + right.repeat(20));

    assertThat(outcome.entries()).hasSize(40);
    assertThat(outcome.millis()).isSorted();
    assertThat(outcome.summary().unreadable().counts())
        .containsExactly(Map.entry(UnreadableLines.Cause.OTHER_TIME, 9L));
  }

  @Test
  void forEach_daysWithoutRequests_areRead() {
    String later = LINE.replace("10/Oct", "20/Oct") + "\n";

    assertThat(read((LINE + "\n").repeat(20) + later.repeat(20)).entries()).hasSize(40);
    assertThat(read(LINE + "\n" + later).entries()).hasSize(2);
  }

  @Test
  void forEach_severalLogs_areMergedByTime() {
    String even = "time,ip\n1760104500.5,192.0.2.1\n1760104502.5,192.0.2.1\n";
    String odd = "time,ip\n1760104501.5,192.0.2.1\n1760104503.5,192.0.2.1\n";
    LogOptions options = new LogOptions(null, FIELDS, Duration.ZERO);

    assertThat(read(options, odd.getBytes(UTF_8), even.getBytes(UTF_8)).millis())
        .containsExactly(1760104500500L, 1760104501500L, 1760104502500L, 1760104503500L);
  }

  @Test
  void forEach_compressed_isDetected() throws IOException {
    byte[] log = (LINE + "\n").repeat(1_000).getBytes(UTF_8);
    byte[] gzip = gzip(log);

    assertThat(read(gzip).entries()).hasSize(1_000);
    assertThat(read(Zstd.compress(log)).entries()).hasSize(1_000);
  }

  @Test
  void forEach_truncatedGzip_readsTheBeginningAndReportsIt() throws IOException {
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < 100_000; i++) {
      log.append(LINE.replace("/a", "/" + i * 7_919L % 100_003)).append('\n');
    }
    byte[] gzip = gzip(log.toString().getBytes(UTF_8));

    Outcome outcome = read(Arrays.copyOf(gzip, gzip.length / 2));

    assertThat(outcome.entries()).hasSizeBetween(10_000, 90_000);
    assertThat(outcome.summary().unreadable().problems()).hasSize(1);
  }

  @Test
  void forEach_truncatedZstd_readsTheBeginningAndReportsIt() {
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < 100_000; i++) {
      log.append(LINE.replace("/a", "/" + i * 7_919L % 100_003)).append('\n');
    }
    byte[] zstd = Zstd.compress(log.toString().getBytes(UTF_8));

    Outcome outcome = read(Arrays.copyOf(zstd, zstd.length / 2));

    assertThat(outcome.entries()).hasSizeBetween(10_000, 90_000);
    assertThat(outcome.summary().unreadable().problems()).hasSize(1);
  }

  @Test
  void forEach_dataAfterGzip_isReported() throws IOException {
    byte[] gzip = gzip((LINE + "\n").getBytes(UTF_8));
    for (int extra : new int[] {1, 20, 100_000}) {
      Outcome outcome = read(Arrays.copyOf(gzip, gzip.length + extra));

      assertThat(outcome.entries()).hasSize(1);
      assertThat(outcome.summary().unreadable().problems())
          .singleElement()
          .asString()
          .contains("followed by other data");
    }
  }

  @Test
  void forEach_startOfGzip_isReported() {
    byte[] start = {0x1f, (byte) 0x8b};

    assertThatThrownBy(() -> read(start)).hasMessage("log: cannot be read: it ends early");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void forEach_namedPipe_isRead(@TempDir Path folder) throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Thread writer =
        new Thread(
            () -> {
              try (OutputStream out = new FileOutputStream(pipe.toFile())) {
                out.write((LINE + "\n").getBytes(UTF_8));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    writer.setDaemon(true);
    writer.start();
    LogStream stream = new LogStream(List.of(LogSource.of(pipe)), LogOptions.of(FIELDS));
    List<LogEntry> entries = new ArrayList<>();

    stream.forEach(entries::add);

    assertThat(entries).hasSize(1);
  }

  @Test
  void forEach_otherCompression_isNamed() {
    byte[] bzip2 = "BZh91AY&SY".getBytes(UTF_8);

    assertThatThrownBy(() -> read(bzip2)).hasMessageContaining("bzip2 is not supported");
  }

  @Test
  void forEach_moreFilesThanCanBeOpen_areMerged(@TempDir Path folder) throws IOException {
    List<LogSource> sources = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      int number = i * 7 % 3_000;
      String log = "time,ip\n" + (1_760_000_000 + 60 * number) + ",192.0.2.1\n";
      sources.add(LogSource.of(Files.writeString(folder.resolve(number + ".csv"), log)));
    }
    LogStream stream = new LogStream(sources, LogOptions.of(FIELDS));
    List<Long> times = new ArrayList<>();

    stream.forEach(entry -> times.add(entry.timeNanos()));

    assertThat(times).hasSize(3_000).isSorted();
    assertThat(stream.summary().lines()).isEqualTo(6_000);
  }

  @Test
  void forEach_severalGzipMembersInAPipe_readsAll() throws IOException {
    byte[] member = gzip((LINE + "\n").getBytes(UTF_8));
    // Nothing is available between the two, as if the writer paused.
    InputStream pipe =
        new SequenceInputStream(
            new ByteArrayInputStream(member),
            new FilterInputStream(new ByteArrayInputStream(member)) {
              @Override
              public int available() {
                return 0;
              }
            });
    LogStream stream = new LogStream(List.of(LogSource.of("log", pipe)), LogOptions.of(FIELDS));
    List<LogEntry> entries = new ArrayList<>();

    stream.forEach(entries::add);

    assertThat(entries).hasSize(2);
  }

  @Test
  void forEach_byteOrderMark_isSkipped() {
    assertThat(read("\ufeff" + LINE + "\n").entries()).hasSize(1);
    assertThat(read("\ufefftime,ip\n1760000000,192.0.2.1\n").entries()).hasSize(1);
  }

  private static byte[] gzip(byte[] log) throws IOException {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(log);
    }
    return compressed.toByteArray();
  }
}
