package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules on their way between files, a database and a running server. */
class RulesIT {
  private static final String POLICY =
      """
      rules:
        - {name: login, limit_keys: ["ip:address"], match: {method: POST, path: /login}, rate: 5/min, burst: 5}
        - {name: pro, limit_keys: [user_id], match: {plan: pro}, rate: 100/s, burst: 500}
        - {name: users, limit_keys: [user_id], rate: 10/s, burst: 50}
      """;

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
    assertThat(diff.out()).contains("delete pro\n", "update users: burst", "changes to make");
    assertThat(rules("import", fewer).out()).doesNotContain("delete").contains("update users");
    assertThat(rules("export").out()).contains("\"pro\"");

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
  void rules_thatCanNotBeUsed_changeNothing() throws Exception {
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

  private static CommandRun rules(String... args) {
    String[] all = new String[args.length + 2];
    all[0] = "rules";
    System.arraycopy(args, 0, all, 1, args.length);
    all[args.length + 1] = "--postgres=" + url();
    return CommandRun.of(all);
  }
}
