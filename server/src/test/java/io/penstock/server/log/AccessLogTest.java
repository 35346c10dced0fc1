package io.penstock.server.log;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Verdict;
import io.penstock.policy.load.PolicyLoader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AccessLogTest {
  private static final String POLICY =
      """
      rules:
        - {name: search, limit_keys: [], rate: 1/h, burst: 2}
        - {name: newer, limit_keys: [user_id], rate: 1/h, burst: 1, mode: shadow}
      """;
  private static final Instant TIME = Instant.parse("2025-10-10T13:55:36.5Z");

  private final PolicyEngine engine =
      new PolicyEngine(InProcessStore.create(), PolicyLoader.parse(POLICY, "policy.yaml").policy());

  @Test
  void common_allowed_endsWithTheDecision() {
    assertThat(line(AccessFormat.COMMON, entry("/a?b=c", "curl", decide())))
        .isEqualTo(
            "203.0.113.7 - - [10/Oct/2025:13:55:36 +0000] \"GET /a?b=c HTTP/1.1\" 200 2326"
                + " allowed \"search\" 1 201 1.002 \"id\" -");
  }

  @Test
  void combined_shadowDenial_namesTheShadowRule() {
    decide();
    assertThat(line(AccessFormat.COMBINED, entry("/", "curl", decide())))
        .endsWith(" 200 2326 \"-\" \"curl\" shadow \"newer\" 0 201 1.002 \"id\" -");
  }

  @Test
  void combined_denied_isLogged() {
    decide();
    decide();
    assertThat(line(AccessFormat.COMBINED, entry("/", null, decide())))
        .endsWith(" \"-\" \"-\" denied \"search\" 0 201 1.002 \"id\" -");
  }

  @Test
  void common_neverDecided_hasDashes() {
    AccessEntry rejected =
        new AccessEntry(
            TIME,
            requestInfo("/", "curl"),
            new AccessEntry.ResponseInfo(400, 9, 1_000_000, 0, null),
            null);
    assertThat(line(AccessFormat.COMMON, rejected)).endsWith(" 400 9 - \"-\" - - 0.001 \"id\" -");
  }

  @Test
  void line_responseAbortedByTheClient_isLogged() {
    AccessEntry aborted =
        new AccessEntry(
            TIME,
            requestInfo("/", "curl"),
            new AccessEntry.ResponseInfo(499, 0, 1_000_000, 0, AccessEntry.AbortedBy.CLIENT),
            null);
    assertThat(line(AccessFormat.COMMON, aborted)).contains(" 499 0 ").endsWith(" \"id\" client");
    assertThat(line(AccessFormat.JSON, aborted))
        .contains("\"status\":499,\"bytes\":0,")
        .contains("\"aborted\":\"client\"");
  }

  @Test
  void text_specialCharacters_areEscaped() {
    String line =
        line(AccessFormat.COMBINED, entry("/\"\\\r\n\u001b[31m", "a\" 200\u0085\u2028", decide()));
    assertThat(line)
        .contains("GET /\\x22\\x5C\\x0D\\x0A\\x1B[31m HTTP/1.1")
        .contains("\"a\\x22 200\\x85\\u2028\"")
        .matches("[ -~]*");
  }

  @Test
  void json_isOneLineOfAsciiWithEverything() {
    String line = line(AccessFormat.JSON, entry("/\"\n", "\u001b\u0085\u2028", decide()));
    assertThat(line)
        .isEqualTo(
            "{\"time\":\"2025-10-10T13:55:36.500Z\",\"client\":\"203.0.113.7\",\"method\":\"GET\",\"target\":\"/\\\"\\n"
                + "\",\"protocol\":\"HTTP/1.1\",\"host\":\"a\","
                + "\"referrer\":null,\"user_agent\":\"\\u001B\\u0085\\u2028\","
                + "\"request_id\":\"id\",\"status\":200,\"bytes\":2326,\"seconds\":1.002003,\"aborted\":null,"
                + "\"upstream_status\":201,\"decision\":\"allowed\",\"rule\":\"search\","
                + "\"remaining\":1}");
  }

  @Test
  void add_readerStuck_dropsAndCountsAndNeverWaits() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    OutputStream out =
        new OutputStream() {
          @Override
          public void write(int b) {
            throw new UnsupportedOperationException();
          }

          @Override
          public void write(byte[] bytes) throws IOException {
            try {
              stuck.await();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
            written.writeBytes(bytes);
          }
        };
    int all = 3 * AccessLog.MAX_QUEUED;
    long dropped;
    try (AccessLog log = new AccessLog(AccessFormat.COMMON, () -> out)) {
      Verdict verdict = decide();
      for (int i = 0; i < all; i++) {
        log.add(entry("/", "curl", verdict));
      }
      dropped = log.dropped();
      stuck.countDown();
    }
    assertThat(dropped).isGreaterThan(AccessLog.MAX_QUEUED);
    // A writer that needs longer than the close timeout continues with its queue.
    await().until(() -> written.toString(US_ASCII).lines().count() == all - dropped);
  }

  @Test
  void reopen_fileWasMoved_createsANewOne(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("access.log");
    Path old = folder.resolve("access.log.1");
    Files.writeString(file, "before\n");
    try (AccessLog log = new AccessLog(AccessFormat.COMMON, AccessLog.Destination.file(file))) {
      log.add(entry("/one", "curl", decide()));
      await().until(() -> size(file) > 10);
      Files.move(file, old);
      log.reopen();
      log.add(entry("/two", "curl", decide()));
    }
    assertThat(Files.readString(old))
        .startsWith("before\n")
        .contains("/one")
        .doesNotContain("/two");
    assertThat(Files.readString(file)).contains("/two");
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  private Verdict decide() {
    return engine.decide(ExplicitRequest.builder().attribute("user_id", "a").build());
  }

  private static String line(AccessFormat form, AccessEntry entry) {
    StringBuilder line = new StringBuilder();
    form.append(entry, line);
    return line.toString();
  }

  private static AccessEntry entry(String target, String agent, Verdict verdict) {
    return new AccessEntry(
        TIME,
        requestInfo(target, agent),
        new AccessEntry.ResponseInfo(200, 2_326, 1_002_003_999L, 201, null),
        verdict);
  }

  private static AccessEntry.RequestInfo requestInfo(String target, String agent) {
    return new AccessEntry.RequestInfo(
        "203.0.113.7", "GET", target, "HTTP/1.1", "a", null, agent, "id");
  }
}
