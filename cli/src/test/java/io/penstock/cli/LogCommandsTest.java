package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands replay and advise. */
class LogCommandsTest {
  private static final String SAMPLE = "../docs/examples/access-log.txt";

  @TempDir Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String in, String... arguments) {
    Console console =
        new Console(
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            new ByteArrayInputStream(in.getBytes(UTF_8)));
    return Main.commandLine(console).execute(arguments);
  }

  private String policy(String limit) throws IOException {
    String text = "rules: [{name: callers, limit_keys: ['ip:address'], " + limit + "}]\n";
    return Files.writeString(Files.createTempFile(folder, "policy", ".yaml"), text).toString();
  }

  @Test
  void replay_sampleLog_reportsDenials() throws IOException {
    Path html = folder.resolve("report.html");

    assertThat(
            run(
                "",
                "replay",
                "--policy",
                policy("rate: 1/s, burst: 10"),
                "--compare",
                policy("rate: 10/s, burst: 50"),
                "--html",
                html.toString(),
                SAMPLE))
        .as("%s", err)
        .isZero();
    assertThat(out.toString()).contains("ip:address=203.0.113.9", "no longer denied");
    assertThat(html).content().contains("<svg");
  }

  @Test
  void html_wouldReplaceAnInput_isRejected() throws IOException {
    String policy = policy("rate: 1/s, burst: 10");
    String before = Files.readString(Path.of(policy));

    assertThat(run("", "replay", "--policy", policy, "--html", policy, SAMPLE)).isEqualTo(2);
    assertThat(run("", "advise", "--html", SAMPLE, SAMPLE)).isEqualTo(2);

    assertThat(err.toString()).contains("--html would overwrite " + policy);
    assertThat(Path.of(policy)).hasContent(before);
  }

  @Test
  void log_nameWithAnEscapeSequence_isEscaped() throws IOException {
    assertThat(run("", "replay", "--policy", policy("rate: 1/s"), "no\u001b[31m.log")).isEqualTo(2);
    assertThat(err.toString()).contains("no\\x1B[31m.log").doesNotContain("\u001b");
  }

  @Test
  void replay_standardInput_printsJson() throws IOException {
    int status =
        run(
            Files.readString(Path.of(SAMPLE)),
            "replay",
            "--json",
            "--progress",
            "--policy",
            policy("rate: 1/s, burst: 10"),
            "-");

    assertThat(status).as("%s", err).isZero();
    assertThat(out.toString()).startsWith("{").contains("\"worst_keys\"");
  }

  @Test
  void advise_sampleLog_writesAPolicyThatPassesItsCases() {
    String file = folder.resolve("limits.yaml").toString();

    assertThat(run("", "advise", SAMPLE, "--per", "endpoint", "--spare", "99", "--write", file))
        .as("%s", err)
        .isZero();
    assertThat(out.toString()).contains("tight", "balanced", "generous", "GET /products/*");
    assertThat(run("", "test", file, file.replace(".yaml", "-cases.yaml"))).isZero();
    assertThat(run("", "advise", SAMPLE, "--write", file)).isEqualTo(Console.INVALID);
    assertThat(err.toString()).contains("limits.yaml exists; --force overwrites it");
  }

  /** A log that can't be read without failing the test. */
  private static final InputStream UNREAD =
      new InputStream() {
        @Override
        public int read() {
          throw new AssertionError("the log was read");
        }

        @Override
        public int read(byte[] bytes, int from, int length) {
          return read();
        }
      };

  @Test
  void commands_invalidArguments_failBeforeTheLogIsRead() throws IOException {
    String policy = policy("rate: 1/s, burst: 10");
    String missing = folder.resolve("missing").resolve("file").toString();
    Path notes = Files.writeString(folder.resolve("notes.html"), "<p>mine</p>");
    Console console = new Console(new PrintWriter(out, true), new PrintWriter(err, true), UNREAD);
    for (List<String> arguments :
        List.of(
            List.of("replay", "--policy", missing, "-"),
            List.of("replay", "--policy", policy, "--compare", missing, "-"),
            List.of("replay", "--policy", policy, "--html", missing, "-"),
            List.of("replay", "--policy", policy, "--html", folder.toString(), "-"),
            List.of("replay", "--policy", policy, "--html", notes.toString(), "-"),
            List.of("replay", "--policy", policy, "-", missing),
            List.of("replay", "--policy", policy, "-", folder.toString()),
            List.of("replay", "--policy", policy, "-", "-"),
            List.of("replay", "--policy", policy, "-", SAMPLE, folder + "/../" + SAMPLE),
            List.of("replay", "--policy", policy, "--window", "NaN", "-"),
            List.of("replay", "--policy", policy, "--field", "bad:q=x", "-"),
            List.of("advise", "--html", missing, "-"),
            List.of("advise", "--write", missing, "-"),
            List.of("advise", "--write", folder.toString(), "-"),
            List.of("advise", "--force", "--write", SAMPLE, "-", SAMPLE),
            List.of("advise", "--key", "bad:key", "-"),
            List.of("advise", "--per", "bad:key", "-"),
            List.of("advise", "--fold", "items", "-"),
            List.of("advise", "--top", "0", "-"),
            List.of("advise", "--spare", "NaN", "-"),
            List.of("advise", "--choose", "best", "-"))) {
      int status = Main.commandLine(console).execute(arguments.toArray(new String[0]));
      assertThat(status).as("%s", arguments).isEqualTo(Console.INVALID);
      assertThat(out.toString()).as("%s", arguments).isEmpty();
    }
    assertThat(err.toString())
        .contains(
            "--html: there is no directory",
            "notes.html, which is not a report",
            "- is given twice",
            "--window must be from 0 to 86400 seconds: NaN",
            "--field must be ip:address",
            "--write would overwrite " + SAMPLE,
            "--key must be ip:address",
            "--fold must begin with / or *: items")
        .doesNotContain("Exception");
    assertThat(notes).hasContent("<p>mine</p>");
  }

  @Test
  void html_ofAPreviousRun_isReplaced() throws IOException {
    String html = folder.resolve("report.html").toString();
    String policy = policy("rate: 1/s, burst: 10");

    for (int i = 0; i < 2; i++) {
      assertThat(run("", "replay", "--policy", policy, "--html", html, SAMPLE)).isZero();
      assertThat(run("", "advise", "--html", html, SAMPLE)).isZero();
    }
    assertThat(Path.of(html)).content().contains("<title>Penstock advice");
  }

  @Test
  void replay_attributesThatTheLogLacks_areReported() throws IOException {
    Path policy =
        Files.writeString(
            folder.resolve("users.yaml"),
            """
            attributes: {user_id: caller, plan: caller}
            jwt: {jwks_url: "https://id.example.com/keys"}
            rules:
              - {name: pro, limit_keys: [user_id], match: {plan: pro}, rate: 1/s, burst: 10}
              - {name: either, limit_keys: ["user_id|ip:address"], rate: 1/s, burst: 10, group: a}
              - {name: subject, limit_keys: ["jwt:sub"], rate: 1/s, burst: 10}
              - {name: key, limit_keys: ["header:x-api-key"], on_missing_key: share, rate: 1/s, burst: 10}
            """);

    assertThat(run("", "replay", "--policy", policy.toString(), SAMPLE)).isZero();

    assertThat(out.toString())
        .contains(
            "no request of the log has user_id (used by pro, either)",
            "no request of the log has plan (used by pro)",
            "no request of the log has jwt:sub (used by subject)",
            "no request of the log has header:x-api-key (used by key)")
        .doesNotContain("no request of the log has ip:address");
  }

  @Test
  void advise_keyThatTheLogLacks_isReported() {
    for (String key : List.of("user_id", "header:x-api-key", "jwt:sub")) {
      assertThat(run("", "advise", "--key", key, SAMPLE)).as(key).isEqualTo(Console.INVALID);
    }
    assertThat(err.toString())
        .contains("2,935 requests lack a key [user_id]")
        .contains("2,935 requests lack a part of their key [header:x-api-key]")
        .contains("no request has a key, so there is nothing to suggest");
    assertThat(run("", "advise", "--per", "plan", SAMPLE)).isEqualTo(Console.INVALID);
    assertThat(err.toString()).contains("2,935 requests lack one of [plan]");
  }

  @Test
  void advise_claimsAsKeys_writesAPolicyThatPassesItsCases() {
    String file = folder.resolve("claims.yaml").toString();
    StringBuilder log = new StringBuilder("time,sub,plan\n");
    for (int i = 0; i < 100; i++) {
      log.append("%d,user-%d,pro\n".formatted(1_760_000_000 + i / 4, i % 7));
    }

    assertThat(run(log.toString(), "advise", "--key", "jwt:sub", "--write", file, "-"))
        .as("%s", err)
        .isZero();

    assertThat(run("", "test", file, file.replace(".yaml", "-cases.yaml"))).as("%s", out).isZero();
  }

  @Test
  void advise_violations_areReadPageByPage() throws IOException {
    List<String> requests = new ArrayList<>();
    HttpServer listener =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    listener.createContext(
        "/",
        exchange -> {
          String query = exchange.getRequestURI().getQuery();
          requests.add(query);
          boolean isFirst = !query.contains("after=");
          StringBuilder page = new StringBuilder("{\"source\":\"memory\",\"violations\":[");
          for (int i = 0; i < 100; i++) {
            int second = isFirst ? 299 - i : 199 - i;
            page.append(i == 0 ? "" : ",")
                .append("{\"requested_at\":\"")
                .append(Instant.ofEpochSecond(1_760_000_000 + second))
                .append("\",\"rule\":\"next\",\"reason\":\"shadow\",\"user\":\"u")
                .append(second % 3)
                .append("\",\"address\":null,\"endpoint\":\"/a\",\"denied\":4}");
          }
          page.append("],\"next\":").append(isFirst ? "\"1.000001-2\"}" : "null}");
          byte[] bytes = page.toString().getBytes(UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    listener.start();
    String url = "http://127.0.0.1:" + listener.getAddress().getPort();
    try {
      assertThat(run("", "advise", "--violations", url, "--rule", "next", "--key", "user_id"))
          .as("%s", err)
          .isZero();
    } finally {
      listener.stop(0);
    }
    assertThat(out.toString())
        .contains("800 requests", "(200 lines, format json)", "3 keys")
        .contains("contain only the requests that a rule would have denied")
        .doesNotContain("out of order");
    assertThat(requests)
        .containsExactly(
            "mode=shadow&limit=1000&rule=next",
            "mode=shadow&limit=1000&rule=next&after=1.000001-2");

    assertThat(run("", "advise", "--violations", url)).isEqualTo(Console.FAILED);
    assertThat(run("", "advise", "--violations", url, SAMPLE)).isEqualTo(Console.INVALID);
    assertThat(run("", "advise", "--rule", "next", SAMPLE)).isEqualTo(Console.INVALID);
    assertThat(run("", "advise", "--violations", "file:/etc")).isEqualTo(Console.INVALID);
    assertThat(run("", "advise")).isEqualTo(Console.INVALID);
    assertThat(err.toString())
        .contains("cannot reach " + url, "can't be combined with logs", "name a log, or -");
  }

  @Test
  void advise_moreViolationsThanAreRead_isReported() throws IOException {
    HttpServer listener =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    StringBuilder page = new StringBuilder("{\"source\":\"memory\",\"violations\":[");
    for (int i = 0; i < 1_000; i++) {
      page.append(i == 0 ? "" : ",")
          .append("{\"requested_at\":\"2025-10-10T00:00:00Z\",\"rule\":\"next\",")
          .append("\"reason\":\"shadow\",\"user\":null,\"address\":\"192.0.2.1\",")
          .append("\"endpoint\":\"/a\",\"denied\":1}");
    }
    byte[] bytes = page.append("],\"next\":\"1.000001-2\"}").toString().getBytes(UTF_8);
    listener.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    listener.start();
    String url = "http://127.0.0.1:" + listener.getAddress().getPort();
    try {
      assertThat(run("", "advise", "--violations", url)).as("%s", err).isZero();
    } finally {
      listener.stop(0);
    }
    assertThat(out.toString())
        .contains("100,000 requests", "only the latest 100,000 records are read; --rule selects");
  }

  @Test
  void json_textOfTheLog_isEscaped() throws IOException {
    String log = "time,ip,path\n1760000000,192.0.2.1,/a\n\u009b31m\u202e\ue000\n";

    assertThat(run(log, "replay", "--json", "--policy", policy("rate: 1/s"), "-")).isZero();

    assertThat(out.toString())
        .contains("\\x9B31m\\u{202e}\\u{e000}".replace("\\", "\\\\"))
        .matches("[\\p{ASCII}]*");
    StringWriter printed = new StringWriter();
    printed.append(JsonText.of(json -> json.writeString("\u009b\u202e\u00e9\udbff\udfff")));
    assertThat(printed.toString()).isEqualTo("\"\\u009b\\u202e\u00e9\\udbff\\udfff\"");
  }

  @Test
  void advise_json_containsThePolicyAndItsCases() throws IOException {
    assertThat(run("", "advise", "--json", "--spare", "99", SAMPLE)).as("%s", err).isZero();

    JsonNode report = new ObjectMapper().readTree(out.toString());
    Path policy = Files.writeString(folder.resolve("policy.yaml"), report.get("policy").asText());
    Path cases = Files.writeString(folder.resolve("cases.yaml"), report.get("cases").asText());
    assertThat(run("", "test", policy.toString(), cases.toString())).as("%s", err).isZero();
  }

  @Test
  void commands_invalidInput_areUsageErrors() throws IOException {
    assertThat(run("", "advise", "missing.log")).isEqualTo(Console.INVALID);
    assertThat(run("\u001b[2Jhello\n", "advise", "-")).isEqualTo(Console.INVALID);
    assertThat(run("", "advise", SAMPLE, "--spare", "0")).isEqualTo(Console.INVALID);
    assertThat(run("", "replay", "--policy", policy("rate: x"), SAMPLE)).isEqualTo(Console.INVALID);
    assertThat(err.toString())
        .contains("missing.log: no such file", "\\x1B[2Jhello", "spare must be above 0")
        .doesNotContain("\u001b");
  }

  @Test
  void progress_halfRead_showsRateAndTimeLeft() {
    assertThat(ProgressBar.text(1_000, 50, 200, Duration.ofSeconds(2)))
        .isEqualTo("[#######.......................] 25 %, 1,000 lines, 500 lines/s, 0:06 left");
    assertThat(ProgressBar.passes(0, 0)).isEmpty();
    assertThat(ProgressBar.passes(3, 8))
        .isEqualTo("[###########...................] log read, computing limits: 3 of 8");
    assertThat(ProgressBar.text(1_000, 50, 0, Duration.ofSeconds(2)))
        .isEqualTo("1,000 lines, 500 lines/s");
  }
}
