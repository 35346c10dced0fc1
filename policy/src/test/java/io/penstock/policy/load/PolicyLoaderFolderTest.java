package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyLoaderFolderTest {
  private static final String BARE = "{name: %s, limit_keys: [user_id], rate: 1/s, group: %s}";

  @TempDir Path folder;

  private void write(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
  }

  private void writeRule(String file, String rule) throws IOException {
    write(file, BARE.formatted(rule, rule));
  }

  @Test
  void load_folder_takesPoliciesByNameWithPrefix() throws IOException {
    writeRule("b.yml", "two");
    write("a.json", "{\"rules\": [{\"name\": \"one\", \"limit_keys\": [], \"rate\": \"1/s\"}]}");
    write("c.yaml", "mode: shadow");
    writeRule(".hidden.yaml", "no");
    write("notes.txt", "no");
    Files.createDirectory(folder.resolve("sub.yaml"));

    Policy policy = PolicyLoader.load(folder).policy();

    assertThat(policy.rules()).extracting(Rule::name).containsExactly("a/one", "b/two");
    assertThat(policy.mode().code()).isEqualTo("shadow");
  }

  @Test
  void load_folder_knowsTheFileOfEachRule() throws IOException {
    writeRule("b.yml", "two");
    write("a.json", "{\"rules\": [{\"name\": \"one\", \"limit_keys\": [], \"rate\": \"1/s\"}]}");

    assertThat(PolicyLoader.load(folder).locations())
        .containsOnly(
            Map.entry("a/one", new Location(folder.resolve("a.json").toString(), 1, 12)),
            Map.entry("b/two", new Location(folder.resolve("b.yml").toString(), 1, 1)));
  }

  @Test
  void load_folderWithSubfolders_warnsOfThem() throws IOException {
    writeRule("a.yaml", "one");
    Files.createDirectory(folder.resolve("..data"));
    Path team = Files.createDirectory(folder.resolve("team"));
    Files.writeString(team.resolve("b.yaml"), BARE.formatted("two", "two"));

    assertThat(PolicyLoader.load(folder).warnings())
        .extracting(Problem::toString)
        .filteredOn(warning -> warning.contains("is not read"))
        .singleElement()
        .asString()
        .startsWith(team.toString());
  }

  @Test
  void load_mountedConfigMap_followsVisibleLinks() throws IOException {
    Path data = Files.createDirectory(folder.resolve("..2024_01_01"));
    Files.writeString(data.resolve("login.yaml"), BARE.formatted("per-ip", "g"));
    Files.createSymbolicLink(folder.resolve("..data"), Path.of("..2024_01_01"));
    Files.createSymbolicLink(folder.resolve("login.yaml"), Path.of("..data/login.yaml"));

    assertThat(PolicyLoader.load(folder).policy().rules())
        .extracting(Rule::name)
        .containsExactly("login/per-ip");
  }

  @Test
  void load_sameRuleNameInTwoFiles_isTwoRules() throws IOException {
    write("a.yaml", BARE.formatted("r", "one"));
    write("b.yaml", BARE.formatted("r", "two"));

    assertThat(PolicyLoader.load(folder).policy().rules())
        .extracting(Rule::name)
        .containsExactly("a/r", "b/r");
  }

  @Test
  void load_sectionInTwoFiles_namesBothLocations() throws IOException {
    writeRule("a.yaml", "r");
    write("b.yaml", "mode: shadow\nkey_secret: x");
    write("c.yaml", "\nmode: shadow\nkey_secret_file: x");

    assertThatThrownBy(() -> PolicyLoader.load(folder))
        .hasMessageContaining(
            folder.resolve("c.yaml")
                + ":2:7: mode: must be set only once; it is also set at "
                + folder.resolve("b.yaml")
                + ":1:7")
        .hasMessageContaining(":3:18: key_secret_file: must be set only once");
  }

  @Test
  void load_errorsInSeveralFiles_areAllReported() throws IOException {
    write("a.yaml", "rules: [");
    write("b.yaml", "");
    write("c.json", "{\"mode\": 5}");
    Files.write(folder.resolve("d.yaml"), "é".getBytes(StandardCharsets.ISO_8859_1));
    Files.createSymbolicLink(folder.resolve("e.yaml"), Path.of("nowhere"));

    assertThatThrownBy(() -> PolicyLoader.load(folder))
        .isInstanceOfSatisfying(PolicyException.class, e -> assertThat(e.problems()).hasSize(5))
        .hasMessageContaining("a.yaml:1:9: ")
        .hasMessageContaining("b.yaml: is empty")
        .hasMessageContaining("c.json:1:10: mode: must be enforce | shadow | off: 5")
        .hasMessageContaining("d.yaml: is not valid UTF-8")
        .hasMessageContaining("e.yaml: no such file");
  }

  @Test
  void load_emptyFolder_isReported() {
    assertThatThrownBy(() -> PolicyLoader.load(folder))
        .isInstanceOf(PolicyException.class)
        .hasMessage(folder + ": contains no policies (*.yaml, *.yml, *.json)");
  }

  @Test
  void load_folderWithoutRules_isReported() throws IOException {
    write("a.yaml", "mode: off");

    assertThatThrownBy(() -> PolicyLoader.load(folder)).hasMessage(folder + ": has no rules");
  }

  @Test
  void load_noSuchFile_isReported() {
    Path nowhere = folder.resolve("nowhere.yaml");

    assertThatThrownBy(() -> PolicyLoader.load(nowhere))
        .isInstanceOf(PolicyException.class)
        .hasMessage(nowhere + ": no such file");
  }

  @Test
  void load_prefixThatIsNoName_isRejected() throws IOException {
    writeRule("caf\u00e9.yaml", "r");

    assertThatThrownBy(() -> PolicyLoader.load(folder))
        .hasMessageContaining("name: must be printable ASCII");
  }
}
