package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "serve",
        "init",
        "validate",
        "test",
        "explain",
        "sample",
        "schema",
        "completion",
        "version"
      })
  void help_ofAnyCommand_fitsTheScreen(String command) {
    List<String> args = new ArrayList<>(List.of(command, "--help"));
    args.remove("");
    CommandRun run = CommandRun.of(args.toArray(String[]::new));

    assertThat(run.status()).isZero();
    assertThat(run.out()).startsWith("Usage: penstock " + command);
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 96);
  }

  @Test
  void help_asCommand_printsTheSameAsTheOption() {
    assertThat(CommandRun.of("help").out()).isEqualTo(CommandRun.of("--help").out());
    assertThat(CommandRun.of("help", "validate").out())
        .isEqualTo(CommandRun.of("validate", "--help").out());
  }

  @Test
  void help_ofServe_hasEverySetting() {
    String help = CommandRun.of("serve", "--help").out();

    for (Setting setting : Setting.values()) {
      assertThat(help).contains("  " + setting.flag() + "=" + setting.placeholder());
    }
  }

  @Test
  void run_noCommand_printsTheCommands() {
    CommandRun run = CommandRun.of();

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("Usage: penstock", "serve", "validate", "explain");
  }

  @ParameterizedTest
  @CsvSource({
    "srve, serve",
    "valdiate, validate",
    "explian, explain",
    "--hepl, --help",
    "serve --prot, --port",
    "serve --admin_port, --admin-port",
    "validate p.yaml --stritc, --strict"
  })
  void run_typo_suggestsTheRightWord(String line, String suggestion) {
    CommandRun run = CommandRun.of(line.split(" ", -1));

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("Did you mean " + suggestion + "?").contains("--help");
    assertThat(run.err().lines()).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "validate",
        "test",
        "test p.yaml",
        "explain p.yaml",
        "validate --format=xml p.yaml",
        "serve --port",
        "serve --port=1 --port=2",
        "serve now",
        "version now",
        "rules export --server=localhost:9090",
        "rules export --server=//localhost:9090",
        "rules export --server=http:9090",
        "rules export --server=ftp://localhost",
        "rules export --server=http://localhost:99999",
        "rules export --server=http://localhost:9090?a"
      })
  void run_wrongArguments_areReportedWithoutStackTrace(String line) {
    CommandRun run = CommandRun.of(line.split(" ", -1));

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).startsWith("penstock: ").doesNotContain("\tat ");
  }

  @Test
  void serve_wrongSettings_reportsAll() {
    CommandRun run = CommandRun.of("serve", "--port=x", "--workers=-1", "--redis=http://h");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err().lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("--port: must be a whole number"));
  }

  @Test
  void serve_printConfig_exitsWithoutServing() {
    CommandRun run = CommandRun.of("serve", "--port=1234", "--print-config");

    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("port: 1234  # --port");
  }

  @Test
  void completion_script_containsCommandsAndSettings() {
    assertThat(CommandRun.of("completion").out())
        .contains("complete -F", "validate", "--admin-port", "--strict");
  }

  @Test
  void version_asCommandOrOption_isTheSame() {
    assertThat(CommandRun.of("version")).isEqualTo(CommandRun.of("--version"));
    assertThat(CommandRun.of("version").out()).startsWith("penstock ").contains("java ");
  }
}
