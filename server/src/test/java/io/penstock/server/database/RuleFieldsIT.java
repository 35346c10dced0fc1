package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.Node;
import io.penstock.policy.load.RuleField;
import io.penstock.policy.load.RuleFields;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every field of a rule can be stored in the database, without a migration. */
class RuleFieldsIT {
  private static final RuleRepository.ChangeOptions BY_ME =
      new RuleRepository.ChangeOptions("me", false);

  @TempDir private Path folder;

  @Test
  void apply_ruleWithAnyField_isStoredAndExportedUnchanged() throws Exception {
    List<String> rules = new ArrayList<>();
    for (RuleField field : RuleFields.ALL) {
      for (String rule : RuleExamples.with(field.name())) {
        // Rules with different names and keys don't affect each other.
        int i = rules.size();
        rules.add(
            rule.replaceFirst("name: [nx]", "name: n" + i)
                .replaceFirst("limit_keys: \\[\\w+]", "limit_keys: [k" + i + "]")
                .replaceFirst("group: x", "group: x" + i));
      }
    }
    Path file =
        Files.writeString(folder.resolve("rules.yaml"), "rules:\n- " + String.join("\n- ", rules));
    try (Database database = TestPostgres.database(TestPostgres.migrated())) {
      RuleRepository repository = new RuleRepository(database, () -> RuleRepository.FileRules.NONE);
      assertThat(repository.apply(RuleFile.read(file), true, BY_ME)).hasSameSizeAs(rules);
      assertThat(repository.apply(RuleFile.read(file), true, BY_ME)).isEmpty();

      String exported =
          RuleFile.text(repository.all().stream().<Node>map(StoredRule::document).toList());
      Path again = Files.writeString(folder.resolve("exported.yaml"), exported);
      assertThat(repository.apply(RuleFile.read(again), true, BY_ME)).isEmpty();

      RuleSnapshot snapshot = new RuleSnapshot(folder.resolve("snapshot.json"));
      snapshot.write(repository.all());
      assertThat(snapshot.read()).hasValue(repository.all());
    }
  }
}
