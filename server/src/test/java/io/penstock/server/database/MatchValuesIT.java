package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Match;
import io.penstock.policy.Rule;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.PolicyLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Match values keep their meaning from a file to the database and back. */
class MatchValuesIT {
  private static final RuleRepository.ChangeOptions BY_ME =
      new RuleRepository.ChangeOptions("me", false);
  private static final String POLICY =
      """
      rules:
        - {name: version, limit_keys: [a], rate: 1/s, match: {"header:x-api-version": 1.10}}
        - {name: agent,   limit_keys: [b], rate: 1/s, match: {tenant: 007}}
        - {name: flag,    limit_keys: [c], rate: 1/s, match: {beta: true, "header:x": True}}
        - {name: claim,   limit_keys: [d], rate: 1/s, match: {"jwt:level": 1.0, "jwt:beta": True}}
        - {name: lists,   limit_keys: [e], rate: 1/s, match: {t: [1.10, 007, true], "jwt:l": [2.0, 3]}}
        - {name: plan,    limit_keys: [f], rate: 1/s, match: {plan: 1.10}}
        - {name: huge,    limit_keys: [g], rate: 1/s, match: {"query:q": 1e900000000}}
      """;

  @TempDir private Path folder;

  @Test
  void match_fromAFileToTheDatabaseAndBack_meansTheSame() throws Exception {
    Path file = Files.writeString(folder.resolve("rules.yaml"), POLICY);
    try (Database database = TestPostgres.database(TestPostgres.migrated())) {
      RuleRepository book = new RuleRepository(database, () -> RuleRepository.FileRules.NONE);
      assertThat(book.apply(RuleFile.read(file), true, BY_ME)).hasSize(7);
      assertThat(book.apply(RuleFile.read(file), true, BY_ME)).isEmpty();

      Path exported = Files.writeString(folder.resolve("exported.yaml"), export(book));
      assertThat(matches(exported)).containsExactlyElementsOf(matches(file));
      assertThat(book.apply(RuleFile.read(exported), true, BY_ME)).isEmpty();
    }
  }

  @Test
  void match_numbersInSql_areComparedAsWritten() throws Exception {
    String url = TestPostgres.migrated();
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, match) VALUES"
            + " ('a', '{a}', 'key', '1/s', '{\"header:x\": 1.10, \"t\": [2.0, true]}')");
    try (Database database = TestPostgres.database(url)) {
      RuleRepository book = new RuleRepository(database, () -> RuleRepository.FileRules.NONE);
      assertThat(export(book)).contains("{\"header:x\": \"1.10\", t: [\"2.0\", \"true\"]}");
    }
  }

  private static String export(RuleRepository book) {
    return RuleFile.text(book.all().stream().<Node>map(StoredRule::document).toList());
  }

  /** Returns the conditions of each rule, unordered. */
  private static List<Set<?>> matches(Path file) {
    return PolicyLoader.load(file).policy().rules().stream()
        .map(Rule::match)
        .map(Match::conditions)
        .<Set<?>>map(conditions -> conditions.stream().collect(Collectors.toSet()))
        .toList();
  }
}
