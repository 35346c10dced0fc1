package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the sample settings of the distribution. */
class SampleSettingsTest {
  private static final Path FILE = Path.of("src", "dist", "penstock.yaml");
  private static final Pattern LINE = Pattern.compile("(?m)^# ([a-z_]+): (.*)$");

  @TempDir Path folder;

  @Test
  void file_unchanged_namesThePolicyNextToIt() {
    assertThat(SettingsReader.read(Map.of(), Map.of(), FILE).policy())
        .hasValue(FILE.resolveSibling("policy.yaml"));
  }

  @Test
  void file_withNothingCommentedOut_isValid() throws IOException {
    String all = LINE.matcher(Files.readString(FILE)).replaceAll("$1: $2");
    Path file = Files.writeString(folder.resolve("penstock.yaml"), all);

    assertThat(SettingsReader.read(Map.of(), Map.of(), file).warnings()).isEmpty();
  }

  @Test
  void file_valuesOfSettingsWithDefault_areTheDefaults() throws IOException {
    List<MatchResult> lines = LINE.matcher(Files.readString(FILE)).results().toList();
    assertThat(lines).hasSizeGreaterThan(10);
    for (MatchResult line : lines) {
      Setting setting = named(line.group(1));
      if (setting.otherwise() != null) {
        assertThat(line.group(2)).as(setting.key()).isEqualTo(setting.otherwise());
      }
    }
  }

  private static Setting named(String key) {
    return Stream.of(Setting.values())
        .filter(setting -> setting.key().equals(key))
        .findFirst()
        .orElseThrow(() -> new AssertionError(key + " is not a setting"));
  }
}
