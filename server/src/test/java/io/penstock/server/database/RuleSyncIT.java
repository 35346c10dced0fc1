package io.penstock.server.database;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.load.MergedPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleSyncIT {
  private static final String INSERT =
      "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, on_store_failure)"
          + " VALUES ('%s', '{%s}', 'key', '1/h', '%s')";

  @TempDir private Path folder;
  private final AtomicReference<List<String>> activeRules = new AtomicReference<>(List.of());
  private final AtomicInteger joins = new AtomicInteger();
  private String url;

  @BeforeEach
  void migrate() {
    url = TestPostgres.migrated();
    TestPostgres.execute(url, INSERT.formatted("a", "a", "open"));
  }

  private RuleSync feed(Database database, Duration poll) {
    return new RuleSync(
        database,
        new RuleSync.RuleSyncOptions(Optional.of(folder.resolve("deep/rules.json")), true, poll),
        (candidates, origin) -> {
          MergedPolicy merged =
              MergedPolicy.of(Policy.of(), "", candidates, MergedPolicy.RuleCheck.NONE);
          activeRules.set(merged.policy().rules().stream().map(Rule::name).toList());
          joins.incrementAndGet();
          return Optional.of(merged);
        },
        new SimpleMeterRegistry());
  }

  @Test
  void poll_notificationsLost_findsOnlyChanges() throws Exception {
    TestPostgres.execute(url, "ALTER TABLE rate_limit_rule DISABLE TRIGGER rate_limit_rule_notify");
    try (Database database = TestPostgres.database(url);
        RuleSync feed = feed(database, Duration.ofMillis(20))) {
      feed.start();
      assertThat(activeRules.get()).containsExactly("a");
      TestPostgres.execute(url, INSERT.formatted("b", "b", "open"));
      await().until(() -> activeRules.get().equals(List.of("a", "b")));
      TestPostgres.execute(
          url, "DELETE FROM rate_limit_rule WHERE name = 'a'", INSERT.formatted("c", "c", "open"));
      await().until(() -> activeRules.get().equals(List.of("b", "c")));
      assertThat(joins.get()).isBetween(3, 4);
    }
  }

  @Test
  void notification_alone_isEnough() throws Exception {
    try (Database database = TestPostgres.database(url);
        RuleSync feed = feed(database, Duration.ofDays(1))) {
      feed.start();
      TestPostgres.execute(url, INSERT.formatted("b", "b", "open"));
      await().until(() -> activeRules.get().equals(List.of("a", "b")));
      TestPostgres.execute(url, "TRUNCATE rate_limit_rule");
      await().until(() -> activeRules.get().isEmpty());
    }
  }

  @Test
  void connection_closed_isReopenedWithoutMissingChanges() throws Exception {
    try (Database database = TestPostgres.database(url);
        RuleSync feed = feed(database, Duration.ofDays(1))) {
      feed.start();
      TestPostgres.execute(
          url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE application_name = 'penstock' AND datname = current_database()",
          INSERT.formatted("b", "b", "open"));
      await().until(() -> activeRules.get().equals(List.of("a", "b")));
      await().until(() -> feed.state().available());
    }
  }

  @Test
  void active_knownRows_areNotReadAgain() throws Exception {
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate_per_second) SELECT n,"
            + " 'endpoint:/' || n, 'endpoint', 5 FROM unnest(ARRAY['b', 'c', 'd']) n");
    try (Database database = TestPostgres.database(url)) {
      Map<Long, StoredRule> known =
          database.transaction(connection -> RuleTable.active(connection, Map.of())).stream()
              .collect(Collectors.toMap(StoredRule::id, row -> row));
      TestPostgres.execute(url, "UPDATE rate_limit_rule SET rate_per_second = 6 WHERE name = 'b'");
      TestPostgres.execute(url, "UPDATE rate_limit_rule SET is_active = false WHERE name = 'c'");
      TestPostgres.execute(url, "DELETE FROM rate_limit_rule WHERE name = 'd'");

      List<StoredRule> now =
          database.transaction(connection -> RuleTable.active(connection, known));

      assertThat(now).extracting(StoredRule::name).containsExactlyInAnyOrder("a", "b");
      StoredRule a = now.get(now.get(0).name().equals("a") ? 0 : 1);
      StoredRule b = now.get(now.get(0).name().equals("a") ? 1 : 0);
      assertThat(a).isSameAs(known.get(a.id()));
      assertThat(b.content().number(RuleColumn.RATE_PER_SECOND)).isEqualByComparingTo("6");
    }
  }

  @Test
  void snapshot_ofActiveRules_roundTrips() throws Exception {
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, description, key_pattern, scope, rate_per_second,"
            + " burst_capacity, plan, match, cost_source, default_cost, mode, on_store_failure,"
            + " tier_order, tier_group, options) VALUES ('all', 'it''s \"é\"', 'user:{user_id}',"
            + " 'user', 0.125, 7.5, 'pro', '{\"path\": [\"/a\", \"/b\"]}', 'tokens', 2.5,"
            + " 'shadow', 'closed', -3, 'g', '{\"min_cost\": 0.5}')");
    try (Database database = TestPostgres.database(url);
        RuleSync feed = feed(database, RuleSync.POLL)) {
      feed.start();
      List<StoredRule> rows = database.transaction(RuleTable::all);
      RuleSnapshot snapshot = new RuleSnapshot(folder.resolve("deep/rules.json"));
      assertThat(snapshot.read()).hasValue(rows);
      try (var files = Files.list(folder.resolve("deep"))) {
        assertThat(files).hasSize(1);
      }
    }
  }
}
