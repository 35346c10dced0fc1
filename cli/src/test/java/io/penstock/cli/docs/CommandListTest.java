package io.penstock.cli.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Checks that a test runs every documented command, or that {@code not-run.txt} states why not. */
class CommandListTest {
  /** The blocks that DocumentedCommandsIT, CurlRecipeIT and GettingStartedIT run completely. */
  private static final Set<String> RUN =
      Set.of(
          "docs/cli.md console",
          "docs/operations.md console",
          "docs/recipes/curl.md sh",
          "docs/getting-started.md sh");

  @Test
  void commands_thatNoTestRuns_areListedWithAReason() throws IOException {
    Set<String> notRun = new TreeSet<>();
    for (Page page : Page.all()) {
      for (Page.Command command : page.commands()) {
        if (!RUN.contains(command.page() + " " + command.language()) && !RunnableLine.is(command)) {
          notRun.add(command.page() + " | " + withoutExplanation(command.line()));
        }
      }
    }

    assertThat(listed()).isEqualTo(notRun);
  }

  /** Pages explain a command on its own line, after at least three spaces. */
  private static String withoutExplanation(String line) {
    return line.replaceFirst(" {3,}.*", "");
  }

  private static Set<String> listed() throws IOException {
    Set<String> listed = new TreeSet<>();
    for (String line : lines()) {
      String[] parts = line.split(" \\| ", -1);
      assertThat(parts).as(line).hasSize(3);
      assertThat(parts[2]).as(line).isNotBlank();
      listed.add(parts[0] + " | " + parts[1]);
    }
    return listed;
  }

  private static List<String> lines() throws IOException {
    try (InputStream in = CommandListTest.class.getResourceAsStream("not-run.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .toList();
    }
  }
}
