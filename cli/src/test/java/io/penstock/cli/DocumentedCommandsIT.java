package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.recipes.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs every command of docs/cli.md and docs/operations.md and compares the output. */
@Tag("full")
class DocumentedCommandsIT {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Pattern FILE =
      Pattern.compile("<!-- file (\\S+) -->\n```yaml\n(.*?)```\n", Pattern.DOTALL);
  private static final Pattern CONSOLE = Pattern.compile("```console\n(.*?)```\n", Pattern.DOTALL);
  private static final Pattern COMMAND =
      Pattern.compile("^\\$ ([^\n]+)\n(.*?)(?=^\\$ |\\z)", Pattern.DOTALL | Pattern.MULTILINE);

  /** Matches output that varies from run to run. */
  private static final String ANYTHING = "…";

  @TempDir Path folder;

  @Test
  void commandLinePage_commands_printTheDocumentedOutput() throws IOException {
    run("cli.md", UnaryOperator.identity());
  }

  @Test
  void operationsPage_commands_printTheDocumentedOutput() throws IOException {
    Program.onPath("curl");
    writeFiles("operations.md");
    try (Service service = Service.start(folder, "--policy", "policy.yaml")) {
      run(
          "operations.md",
          command -> command.replace("localhost:9090", "127.0.0.1:" + service.adminPort()));
    }
  }

  private String writeFiles(String name) throws IOException {
    String page = Files.readString(DOCS.resolve(name));
    for (MatchResult file : FILE.matcher(page).results().toList()) {
      Files.writeString(folder.resolve(file.group(1)), file.group(2));
    }
    return page;
  }

  private void run(String name, UnaryOperator<String> rewrite) throws IOException {
    String page = writeFiles(name);
    List<MatchResult> commands =
        CONSOLE
            .matcher(page)
            .results()
            .flatMap(console -> COMMAND.matcher(console.group(1)).results())
            .toList();

    assertThat(commands).isNotEmpty();
    SoftAssertions softly = new SoftAssertions();
    for (MatchResult command : commands) {
      softly
          .assertThat(printed(rewrite.apply(command.group(1))))
          .as(command.group(1))
          .matches(pattern(command.group(2)));
    }
    softly.assertAll();
  }

  private static Pattern pattern(String shown) {
    return Pattern.compile(
        Stream.of(shown.split(ANYTHING, -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
  }

  private String printed(String line) {
    try (JarRun run = JarRun.startCommand(folder, PenstockShell.of("exec 2>&1\n" + line))) {
      run.await();
      // HTTP responses end without a line break.
      return run.out().isEmpty() || run.out().endsWith("\n") ? run.out() : run.out() + "\n";
    }
  }
}
