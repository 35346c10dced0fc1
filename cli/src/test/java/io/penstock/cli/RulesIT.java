package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Moves rules between files, a database and a running server. */
@Tag("full")
class RulesIT {
  private static final String POLICY =
      """
      rules:
        - {name: login, limit_keys: ["ip:address"], match: {method: POST, path: /login}, rate: 5/min, burst: 5}
        - {name: pro, limit_keys: [user_id], match: {plan: pro}, rate: 100/s, burst: 500}
        - {name: users, limit_keys: [user_id], rate: 10/s, burst: 50}
      """;

  private static final Path MIGRATIONS =
      Path.of("../server/src/main/resources/io/penstock/server/database/migrations");

  @TempDir private static Path folder;
  private static EmbeddedPostgres postgres;

  @BeforeAll
  static void start() throws Exception {
    postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
  }

  @AfterAll
  static void stop() throws Exception {
    postgres.close();
  }

  private static String url() {
    return "postgres://postgres@127.0.0.1:" + postgres.getPort() + "/postgres";
  }

  @Test
  void rules_fromAFileToADatabaseAndBack_areTheSame() throws Exception {
    String file = Files.writeString(folder.resolve("rules.yaml"), POLICY).toString();
    assertThat(rules("apply", file).out())
        .isEqualTo("create login\ncreate pro\ncreate users\n3 rules, 3 changes\n");
    assertThat(rules("diff", file).status()).isZero();

    String exported = folder.resolve("exported.yaml").toString();
    assertThat(rules("export", exported).status()).isZero();
    assertThat(rules("diff", exported).out()).isEqualTo("3 rules, 0 changes to make\n");
    assertThat(CommandRun.of("validate", exported).status()).isZero();

    String fewer =
        Files.writeString(
                folder.resolve("fewer.yaml"),
                POLICY
                    .lines()
                    .filter(line -> !line.contains("pro"))
                    .reduce("", (a, b) -> a + b + "\n")
                    .replace("burst: 50", "burst: 60"))
            .toString();
    CommandRun diff = rules("diff", fewer);
    assertThat(diff.status()).isEqualTo(1);
    assertThat(diff.out()).contains("delete pro\n", "update users\n  burst: 50 → 60\n");
    assertThat(rules("import", fewer).out()).doesNotContain("delete").contains("update users");
    assertThat(rules("export").out()).contains("  - name: pro\n");

    try (Service service =
        Service.start(
            folder, "--postgres=" + url(), "--postgres-snapshot=" + folder.resolve("s.json"))) {
      String server = "--server=http://127.0.0.1:" + service.adminPort();
      assertThat(CommandRun.of("rules", "export", server).out()).isEqualTo(rules("export").out());
      assertThat(CommandRun.of("rules", "apply", file, server).out()).contains("update users");
      assertThat(CommandRun.of("rules", "diff", file, server).status()).isZero();
      assertThat(rules("diff", file).status()).isZero();
    }
  }

  @Test
  void rules_invalid_changeNothing() throws Exception {
    String bad =
        Files.writeString(folder.resolve("bad.yaml"), POLICY.replace("5/min", "5/fortnight"))
            .toString();
    CommandRun run = rules("import", bad);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("bad.yaml:2:");
    assertThat(CommandRun.of("rules", "export", "--postgres=postgres://x@127.0.0.1:1/x").status())
        .isEqualTo(1);
    assertThat(CommandRun.of("rules", "export", "--postgres=nonsense").status()).isEqualTo(2);
  }

  @Test
  void rules_tablesCreatedByHand_needNoCreatePrivilege() throws Exception {
    execute("postgres", "CREATE DATABASE by_hand", "CREATE ROLE limits LOGIN");
    for (String migration :
        List.of(
            "V1__rules.sql",
            "V2__violations.sql",
            "V3__repeated_keys.sql",
            "V4__names_and_comments.sql")) {
      execute("by_hand", Files.readString(MIGRATIONS.resolve(migration)));
    }
    execute(
        "by_hand",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO limits",
        "GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO limits");
    List<String> created = tables("by_hand");
    String target = url("limits", "by_hand");
    String file = Files.writeString(folder.resolve("by-hand.yaml"), POLICY).toString();

    CommandRun diff = CommandRun.of("rules", "diff", file, target);
    assertThat(diff.err()).isEmpty();
    assertThat(diff.out()).endsWith("3 rules, 3 changes to make\n");
    assertThat(CommandRun.of("rules", "import", file, target).out()).endsWith("3 changes\n");
    assertThat(CommandRun.of("rules", "apply", file, target).out()).endsWith("0 changes\n");
    assertThat(CommandRun.of("rules", "export", target).out()).contains("- name: login\n");
    assertThat(tables("by_hand")).isEqualTo(created);
  }

  @Test
  void rules_noTables_areCreatedOnlyByCommandsThatWrite() throws Exception {
    execute("postgres", "CREATE DATABASE nothing");
    String target = url("postgres", "nothing");
    String file = Files.writeString(folder.resolve("nothing.yaml"), POLICY).toString();

    for (String reading : List.of("diff", "export")) {
      String own = reading.equals("diff") ? file : folder.resolve("none.yaml").toString();
      CommandRun run = CommandRun.of("rules", reading, own, target);
      assertThat(run.status()).isEqualTo(1);
      assertThat(run.out()).isEmpty();
      assertThat(run.err())
          .isEqualTo(
              "the database has no table rate_limit_rule;"
                  + " run penstock rules import or apply to create it\n");
      assertThat(tables("nothing")).isEmpty();
    }
    assertThat(folder.resolve("none.yaml")).doesNotExist();

    assertThat(CommandRun.of("rules", "import", file, target).status()).isZero();
    assertThat(CommandRun.of("rules", "diff", file, target).status()).isZero();
    assertThat(tables("nothing")).contains("rate_limit_rule", "penstock_schema_history");
  }

  @Test
  void rules_matchWithoutQuotes_isTheSameInTheDatabase() throws Exception {
    execute("postgres", "CREATE DATABASE unquoted");
    String target = url("postgres", "unquoted");
    String file =
        Files.writeString(
                folder.resolve("unquoted.yaml"),
                """
                rules:
                  - {name: 1.10, limit_keys: [a], rate: 1/s, match: {"header:x-api-version": 1.10}}
                  - {name: 007, limit_keys: [b], rate: 1/s, match: {tenant: [007, true, 1e2]}}
                """)
            .toString();
    assertThat(CommandRun.of("rules", "apply", file, target).status()).isZero();
    String exported = CommandRun.of("rules", "export", target).out();
    assertThat(exported)
        .contains("name: \"1.10\"", "{\"header:x-api-version\": \"1.10\"}")
        .contains("name: \"007\"", "{tenant: [\"007\", \"true\", \"1e2\"]}");
    try (Service service =
        Service.start(folder, target, "--postgres-snapshot=" + folder.resolve("unquoted.json"))) {
      String server = "--server=http://127.0.0.1:" + service.adminPort();
      assertThat(CommandRun.of("rules", "diff", file, server).out())
          .isEqualTo("2 rules, 0 changes to make\n");
      assertThat(CommandRun.of("rules", "export", server).out()).isEqualTo(exported);
    }
  }

  @Test
  void rules_writtenInSql_areTheSameAfterExport() throws Exception {
    execute("postgres", "CREATE DATABASE written");
    String target = url("postgres", "written");
    String file = Files.writeString(folder.resolve("one.yaml"), POLICY).toString();
    assertThat(CommandRun.of("rules", "apply", file, target).status()).isZero();
    execute(
        "written",
        """
        INSERT INTO rate_limit_rule (name, key_pattern, scope, rate_per_second, burst_capacity, tier_order)
        VALUES ('others', '{tenant}', 'key', 2.50, 8, 25)
        """,
        """
        INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity, plan, tier_order)
        VALUES ('gold', '{tenant}', 'key', '10/s', 8, 'gold', 25)
        """);
    String exported = folder.resolve("written.yaml").toString();

    assertThat(CommandRun.of("rules", "export", exported, target).err()).isEmpty();
    assertThat(CommandRun.of("rules", "diff", exported, target).out())
        .isEqualTo("5 rules, 0 changes to make\n");
    Files.writeString(
        Path.of(exported), Files.readString(Path.of(exported)).replace("burst: 8", "burst: 9"));
    assertThat(CommandRun.of("rules", "diff", exported, target).out())
        .isEqualTo(
            """
            update gold
              burst: 8 → 9
            update others
              burst: 8 → 9
            5 rules, 2 changes to make
            """);
  }

  private static CommandRun rules(String... args) {
    String[] all = new String[args.length + 2];
    all[0] = "rules";
    System.arraycopy(args, 0, all, 1, args.length);
    all[args.length + 1] = "--postgres=" + url();
    return CommandRun.of(all);
  }

  private static String url(String user, String database) {
    return "--postgres=postgres://%s@127.0.0.1:%d/%s".formatted(user, postgres.getPort(), database);
  }

  private static void execute(String database, String... statements) throws SQLException {
    try (Connection connection = postgres.getDatabase("postgres", database).getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  private static List<String> tables(String database) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Connection connection = postgres.getDatabase("postgres", database).getConnection();
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")) {
      while (result.next()) {
        tables.add(result.getString(1));
      }
    }
    return tables;
  }
}
