package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class InitCommandTest {
  @TempDir Path folder;

  @Test
  void init_noTerminal_writesTheDefaults() throws IOException {
    CommandRun run = CommandRun.of("init", policy());

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo(
            """
            Wrote %1$s and %2$s. To test and to serve the policy:
              penstock test %1$s %2$s
              penstock serve --policy %1$s
            """
                .formatted(policy(), cases()));
    assertThat(Files.readString(Path.of(policy())))
        .isEqualTo(
            """
            # docs/policy.md describes all fields.
            rules:
              - name: callers
                limit_keys: ["ip:address"]
                rate: 100/min
                burst: 20
            """);
    assertThat(CommandRun.of("validate", "--strict", policy()).status()).isZero();
    assertPasses();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--yes",
        "--caller=api-key",
        "--caller=api-key --header=X-My-Key --paths=/api/*",
        "--caller=API-KEY --limit=5/s",
        "--caller=jwt --jwks-url=https://id.example.com/jwks.json --paths=/a,/b/*",
        "--limit=1/h,1",
        "--limit=1000/s,5000 --paths=/*",
        "--paths=*.php"
      })
  void init_anyAnswers_writesAPolicyThatPassesItsCases(String options) {
    CommandRun run = init("", options.replace(",", " ").split(" (?=--)"));

    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertPasses();
  }

  @Test
  void init_terminal_asksThreeQuestions() throws IOException {
    CommandRun run = init("api-key\n5/min burst 3\n/api/* /login\n");

    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .startsWith(
            "What identifies a caller: address, api-key or jwt? [address] "
                + "How many requests per time, and how many at once? [100/min burst 20] "
                + "Which paths are limited, such as /api/*? [all] Wrote ");
    assertThat(Files.readString(Path.of(policy())))
        .contains(
            "limit_keys: [\"header:x-api-key|ip:address\"]",
            "rate: 5/min\n    burst: 3\n",
            "limit_keys: [\"ip:address\"]",
            "rate: 50/min\n    burst: 30\n",
            "match: {path: [\"/api/*\", \"/login\"]}");
    assertPasses();
  }

  @Test
  void init_terminalWithOptions_asksOnlyForTheRest() {
    assertThat(init("\n", "--caller=address", "--limit=5/min").out())
        .startsWith("Which paths are limited, such as /api/*? [all] Wrote ");
    assertPasses();
  }

  @ParameterizedTest
  @ValueSource(strings = {"policy.yaml", "policy-cases.yaml"})
  void init_fileExists_isNotOverwritten(String existing) throws IOException {
    Files.writeString(folder.resolve(existing), "mine");

    CommandRun run = CommandRun.of("init", policy());

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).isEqualTo(folder.resolve(existing) + " exists; --force overwrites it\n");
    assertThat(folder.toFile().list()).containsExactly(existing);
    assertThat(Files.readString(folder.resolve(existing))).isEqualTo("mine");

    assertThat(CommandRun.of("init", policy(), "--force").status()).isZero();
    assertPasses();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--caller=cookie",
        "--caller=jwt",
        "--limit=fast",
        "--limit=5/fortnight",
        "--limit=5/min burst many",
        "--limit=5/min burst 3 4",
        "--paths=[",
        "--caller=api-key --header=a,b"
      })
  void init_invalidAnswer_writesNothing(String options) {
    CommandRun run = init("", options.split(" (?=--)"));

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).isNotEmpty().doesNotContain("\tat ");
    assertThat(folder.toFile().list()).isEmpty();
  }

  private String policy() {
    return folder.resolve("policy.yaml").toString();
  }

  private String cases() {
    return folder.resolve("policy-cases.yaml").toString();
  }

  private CommandRun init(String input, String... options) {
    List<String> args = new ArrayList<>(List.of("init", policy()));
    args.addAll(List.of(options));
    return CommandRun.onTerminal(input, args.toArray(String[]::new));
  }

  private void assertPasses() {
    assertThat(CommandRun.of("validate", policy()).out()).contains("1 policy valid: ");
    assertThat(CommandRun.of("test", policy(), cases()).out()).contains(" 0 failed;");
  }
}
