package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class TopCommandTest {
  private static final String TOP =
      """
      {"window_seconds":900,"denied":12345,"uncounted":0,"keys":[
      {"rule":"login","key":"ip:address=203.0.113.7","denied":1200,"error":0,"last":"2026-01-31T12:00:05Z"},
      {"rule":"search","key":"user_id=\\u001b[2J\\u202e","denied":30,"error":10,"last":"2026-01-31T11:59:59.123Z"}]}""";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  private volatile int status = 200;
  private volatile String body = TOP;
  private HttpServer listener;

  @BeforeEach
  void listen() throws IOException {
    listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    listener.createContext(
        "/",
        exchange -> {
          requests.add(
              exchange.getRequestURI()
                  + " "
                  + exchange.getRequestHeaders().getFirst("Authorization"));
          byte[] bytes = body.getBytes(UTF_8);
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    listener.start();
  }

  @AfterEach
  void stop() {
    listener.stop(0);
  }

  private int run(boolean terminal, Map<String, String> variables, int refreshes, String... args) {
    Console console =
        new Console(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            new ByteArrayInputStream(new byte[0]),
            false,
            terminal,
            false);
    AtomicInteger pauses = new AtomicInteger();
    TopCommand command =
        new TopCommand(console, variables, () -> pauses.incrementAndGet() < refreshes);
    List<String> all =
        new ArrayList<>(List.of("--url=http://127.0.0.1:" + listener.getAddress().getPort()));
    all.addAll(List.of(args));
    return new CommandLine(command)
        .setErr(console.err())
        .setParameterExceptionHandler(new UsageErrors())
        .execute(all.toArray(String[]::new));
  }

  @Test
  void top_once_printsTheTableWithoutControlCharacters() {
    assertThat(run(true, Map.of(), 0, "--once")).isZero();
    assertThat(out.toString().lines())
        .containsExactly(
            "12,345 denied in the last 15 minutes",
            "",
            "DENIED  LAST (UTC)  RULE    KEY",
            " 1,200  12:00:05    login   ip:address=203.0.113.7",
            " 20-30  11:59:59    search  user_id=?[2J?");
  }

  @Test
  void top_noTerminal_printsTheTableOnce() {
    assertThat(run(false, Map.of(), 9)).isZero();
    assertThat(requests).containsExactly("/v1/top?limit=20 null");
  }

  @Test
  void top_options_areSent() {
    run(false, Map.of("PENSTOCK_ADMIN_TOKEN", "variable"), 0, "--rule", "a b&c", "--limit", "5");
    run(false, Map.of("PENSTOCK_ADMIN_TOKEN", "variable"), 0, "--token", "flag");
    assertThat(requests)
        .containsExactly(
            "/v1/top?limit=5&rule=a%20b%26c Bearer variable", "/v1/top?limit=20 Bearer flag");
  }

  @Test
  void top_json_printsTheResponse() {
    assertThat(run(true, Map.of(), 9, "--json")).isZero();
    assertThat(out.toString()).isEqualTo(TOP + System.lineSeparator());
  }

  @Test
  void top_terminal_refreshesUntilInterrupted() {
    assertThat(run(true, Map.of(), 3)).isZero();
    assertThat(requests).hasSize(3);
    assertThat(out.toString().split("\u001b\\[H\u001b\\[2J", -1)).hasSize(4);
  }

  @Test
  void top_nothingDenied_printsOnlyTheSummary() {
    body = "{\"window_seconds\":900,\"denied\":0,\"uncounted\":0,\"keys\":[]}";
    assertThat(run(false, Map.of(), 0)).isZero();
    assertThat(out.toString().strip()).isEqualTo("0 denied in the last 15 minutes");
  }

  @Test
  void top_denialsNotCountedByKey_printsTheirNumber() {
    body = "{\"window_seconds\":900,\"denied\":5,\"uncounted\":1234,\"keys\":[]}";
    assertThat(run(false, Map.of(), 0)).isZero();
    assertThat(out.toString())
        .contains("1,234 more are not counted by key, because there are too many keys");
  }

  @Test
  void top_rejected_printsTheDetail() {
    status = 404;
    body = "{\"detail\":\"No active rule has this name: nope\"}";
    assertThat(run(false, Map.of(), 0, "--rule", "nope")).isEqualTo(1);
    assertThat(err.toString()).contains("No active rule has this name: nope");
  }

  @Test
  void top_unreachable_fails() {
    listener.stop(0);
    assertThat(run(true, Map.of(), 0)).isEqualTo(1);
    assertThat(err.toString()).contains("cannot reach http://127.0.0.1:");
  }

  @Test
  void top_invalidArguments_areReported() {
    assertThat(run(false, Map.of(), 0, "--limit", "0")).isEqualTo(2);
    assertThat(run(false, Map.of(), 0, "--token", "a\nb")).isEqualTo(2);
    assertThat(run(false, Map.of(), 0, "--url", "ftp://x")).isEqualTo(2);
    assertThat(err.toString()).doesNotContain("a\nb");
  }
}
