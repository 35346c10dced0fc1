package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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
    assertThat(ProgressBar.text(1_000, 50, 0, Duration.ofSeconds(2)))
        .isEqualTo("1,000 lines, 500 lines/s");
  }
}
