package io.penstock.cli.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests docs/recipes/curl.md. */
@Tag("full")
class CurlRecipeIT {
  private static final String TIMES =
      "(?<=Reset: |t=|Retry-After: |_after_ms\":|remaining\":)[0-9.]+";

  @TempDir Path folder;

  @Test
  void commands_printTheDocumentedOutput() {
    Program.onPath("curl");
    RecipePage page = RecipePage.of("curl.md");
    List<String> commands = page.blocks("sh");
    List<String> printed = page.blocks("text");
    assertThat(commands).hasSize(2).hasSameSizeAs(printed);

    try (PenstockProcess penstock =
        PenstockProcess.start(folder, page.block("yaml", new Changes()))) {
      Changes changes = new Changes().with("127.0.0.1:8080", penstock.port());
      for (int i = 0; i < commands.size(); i++) {
        try (Running shell =
            Running.start(folder, List.of("sh", "-euc", changes.in(commands.get(i))))) {
          shell.join();
          assertThat(masked(shell.log())).isEqualTo(masked(printed.get(i)));
        }
      }
    }
  }

  /** Masks the values that depend on timing. */
  private static String masked(String output) {
    return output
        .replace("\r", "")
        .replaceAll(TIMES, "#")
        .replaceAll("(?i)content-length: [1-9]\\d+", "content-length: ##")
        .strip();
  }
}
