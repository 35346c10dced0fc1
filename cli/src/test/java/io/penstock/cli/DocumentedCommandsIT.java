package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command of docs/cli.md prints what the page says. */
class DocumentedCommandsIT {
  private static final Path PAGE = Path.of("..", "docs", "cli.md");
  private static final Pattern FILE =
      Pattern.compile("<!-- file (\\S+) -->\n```yaml\n(.*?)```\n", Pattern.DOTALL);
  private static final Pattern CONSOLE = Pattern.compile("```console\n(.*?)```\n", Pattern.DOTALL);
  private static final Pattern COMMAND =
      Pattern.compile("^\\$ ([^\n]+)\n(.*?)(?=^\\$ |\\z)", Pattern.DOTALL | Pattern.MULTILINE);

  @TempDir Path folder;

  @Test
  void page_commands_printWhatItSays() throws IOException {
    String page = Files.readString(PAGE);
    for (MatchResult file : FILE.matcher(page).results().toList()) {
      Files.writeString(folder.resolve(file.group(1)), file.group(2));
    }
    List<MatchResult> commands =
        CONSOLE
            .matcher(page)
            .results()
            .flatMap(console -> COMMAND.matcher(console.group(1)).results())
            .toList();

    assertThat(commands).isNotEmpty();
    SoftAssertions softly = new SoftAssertions();
    for (MatchResult command : commands) {
      softly.assertThat(printed(command.group(1))).as(command.group(1)).isEqualTo(command.group(2));
    }
    softly.assertAll();
  }

  /** What a shell shows in which {@code penstock} is the jar. */
  private String printed(String line) {
    String penstock = "penstock() { '" + JarRun.JAVA + "' -jar '" + JarRun.JAR + "' \"$@\"; }\n";
    try (JarRun run =
        JarRun.startCommand(folder, List.of("bash", "-c", penstock + "exec 2>&1\n" + line))) {
      run.await();
      return run.out();
    }
  }
}
