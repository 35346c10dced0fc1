package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements and tables in docs/postgres.md are correct. */
class DocumentedSqlIT {
  private static final Path PAGE = Path.of("..", "docs", "postgres.md");
  private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```\n", Pattern.DOTALL);
  private static final Pattern COLUMN =
      Pattern.compile("^\\| (`[^|]*`[^|]*) \\|", Pattern.MULTILINE);

  @TempDir private Path folder;

  @Test
  void page_statements_createValidRules() throws Exception {
    String url = TestPostgres.migrated();
    List<MatchResult> blocks = SQL.matcher(Files.readString(PAGE)).results().toList();
    assertThat(blocks).hasSizeGreaterThan(3);
    for (MatchResult block : blocks) {
      TestPostgres.execute(url, block.group(1));
    }
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      assertThat(server.admin("/readyz").body()).contains("\"rejected\":[]", "\"rules\":7");
      assertThat(
              server.check("{\"attributes\":{\"user_id\":\"1\",\"plan\":\"enterprise\"}}").body())
          .doesNotContain("user:{user_id}");
    }
  }

  @Test
  void page_metrics_areThoseOfTheDatabase() throws Exception {
    List<String> documented =
        Pattern.compile("^\\| `(penstock_\\w+)`", Pattern.MULTILINE)
            .matcher(Files.readString(PAGE))
            .results()
            .map(name -> name.group(1))
            .toList();
    try (RunningServer server = DatabaseServer.start(TestPostgres.migrated(), folder)) {
      List<String> shown =
          Pattern.compile("^# TYPE (penstock_(?:database|violations)\\w*)", Pattern.MULTILINE)
              .matcher(server.admin("/metrics").body())
              .results()
              .map(name -> name.group(1))
              .toList();
      assertThat(documented).containsExactlyInAnyOrderElementsOf(shown);
    }
  }

  @Test
  void page_columns_areThoseOfTheTable() throws Exception {
    String url = TestPostgres.migrated();
    String columns =
        TestPostgres.value(
            url,
            "SELECT string_agg(column_name, ' ') FROM information_schema.columns"
                + " WHERE table_name = 'rate_limit_rule' AND column_name <> 'rule_id'");
    String table = Files.readString(PAGE).split("\\| column \\| \\|", 2)[1].split("\n\n", 2)[0];
    List<String> documented =
        COLUMN
            .matcher(table)
            .results()
            .flatMap(row -> Pattern.compile("`(\\w+)`").matcher(row.group(1)).results())
            .map(name -> name.group(1))
            .toList();
    assertThat(documented).containsExactlyInAnyOrder(columns.split(" "));
  }
}
