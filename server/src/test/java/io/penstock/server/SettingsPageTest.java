package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The table in docs/settings.md matches the settings. */
class SettingsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "settings.md");
  private static final String BEGIN = "<!-- settings -->\n";
  private static final String END = "<!-- end of settings -->\n";
  private static final String WRITE = "penstock.docs.write";

  @Test
  void page_table_isThatOfTheSettings() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    if (Boolean.getBoolean(WRITE)) {
      Files.writeString(PAGE, page.substring(0, begin) + table() + page.substring(end));
      return;
    }
    assertThat(page.substring(begin, end))
        .as(
            "write it anew by: ./mvnw -pl server test -Dtest=SettingsPageTest -D%s=true"
                .formatted(WRITE))
        .isEqualTo(table());
  }

  @Test
  void page_file_canBeRead(@TempDir Path folder) throws IOException {
    String yaml = Files.readString(PAGE).split("```yaml\n|```\n", -1)[1];
    Path file = Files.writeString(folder.resolve("penstock.yaml"), yaml);

    assertThat(SettingsReader.read(Map.of(), Map.of(), file).policy())
        .hasValue(folder.resolve("policy.yaml"));
  }

  private static String table() {
    StringBuilder table = new StringBuilder("| flag | variable | in a file | default | |\n");
    table.append("|---|---|---|---|---|\n");
    for (Setting setting : Setting.values()) {
      String defaultText = setting.otherwise() == null ? "" : "`" + setting.otherwise() + "`";
      table.append(
          "| `%s %s` | `%s` | `%s` | %s | %s |%n"
              .formatted(
                  setting.flag(),
                  setting.placeholder(),
                  setting.variable(),
                  setting.key(),
                  defaultText,
                  setting.help()));
    }
    return table.toString().replace(System.lineSeparator(), "\n");
  }
}
