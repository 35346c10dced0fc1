package io.penstock.server.database;

import static io.penstock.server.database.RuleApi.json;
import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("full")
class ViolationsIT {
  @TempDir private Path folder;
  private String url;

  @BeforeEach
  void migrate() {
    url = TestPostgres.migrated();
  }

  private static String question(String user, String ip, String path) {
    return "{\"ip\":\"%s\",\"path\":\"%s\",\"attributes\":{\"user_id\":\"%s\"}}"
        .formatted(ip, path, user);
  }

  private String sum() {
    return TestPostgres.value(url, "SELECT coalesce(sum(denied), 0) FROM rate_limit_violation");
  }

  @Test
  void denied_requests_areRowsWithCountsAndDetails() throws Exception {
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity)"
            + " VALUES ('one', 'user:{user_id}', 'user', '1/h', 1)");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      for (int i = 0; i < 51; i++) {
        server.check(question("42", "2001:db8::7", "/search"));
      }
      server.check("{\"dry_run\":true,\"attributes\":{\"user_id\":\"42\"}}");
      await().until(() -> sum().equals("50"));
      assertThat(
              Integer.parseInt(
                  TestPostgres.value(url, "SELECT count(*) FROM rate_limit_violation")))
          .isLessThan(50);
      assertThat(
              TestPostgres.value(
                  url,
                  "SELECT DISTINCT concat_ws(' ', bucket_key, user_id, ip_address, endpoint,"
                      + " tokens_at_time < 1, v.rule_id = r.rule_id, rule_name, reason) FROM"
                      + " rate_limit_violation v JOIN rate_limit_rule r ON r.name = rule_name"))
          .isEqualTo("user_id=42 42 2001:db8::7 /search t t one token_bucket_exceeded");
      await().until(() -> DatabaseMetrics.of(server).violations("written") == 50);
      assertThat(DatabaseMetrics.of(server).violations("seen")).isEqualTo(50);
      assertThat(DatabaseMetrics.of(server).violations("dropped")).isZero();
    }
  }

  @Test
  void shadowRule_wouldDeny_isRecordedApartFromDenials() {
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity, mode)"
            + " VALUES ('next', 'user:{user_id}', 'user', '1/h', 1, 'shadow')");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      for (int i = 0; i < 5; i++) {
        assertThat(server.check(question("1", "192.0.2.1", "/")).statusCode()).isEqualTo(200);
      }
      await().until(() -> DatabaseMetrics.of(server).violations("written") == 4);

      assertThat(json(get(server, "/v1/violations")).at("/violations")).isEmpty();
      assertThat(
              json(get(server, "/v1/violations?mode=shadow")).at("/violations/0/reason").asText())
          .isEqualTo("shadow");
      assertThat(
              json(get(server, "/v1/violations/top?by=rule&mode=shadow"))
                  .at("/offenders")
                  .toString())
          .isEqualTo("[{\"value\":\"next\",\"denied\":4}]");
      assertThat(get(server, "/v1/violations?mode=x").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void close_queuedRows_areWritten() {
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate, burst_capacity)"
            + " VALUES ('one', 'user:{user_id}', 'user', '1/h', 1)");
    try (RunningServer server = DatabaseServer.start(url, folder)) {
      for (int i = 0; i < 8; i++) {
        server.check(question("1", "192.0.2.1", "/"));
      }
    }
    assertThat(sum()).isEqualTo("7");
  }

  @Test
  void insert_sameBatchAgain_isWrittenOnce() {
    UUID writer = UUID.randomUUID();
    List<Violation> batch =
        List.of(
            new Violation("k", null, null, null, Instant.now(), 0.5, null, "r", "x", 3),
            new Violation("l", "u", "::1", "/", Instant.now(), 0.5, 7L, "r", "x", 4));
    try (Database database = TestPostgres.database(url)) {
      for (long number : new long[] {1, 1, 2, 2, 1}) {
        database.transaction(
            connection -> {
              ViolationTable.insert(connection, writer, number, batch);
              return true;
            });
      }
    }
    assertThat(sum()).isEqualTo("14");
  }

  private void insert(int rows) {
    TestPostgres.execute(
        url,
        """
        INSERT INTO rate_limit_violation (bucket_key, user_id, ip_address, endpoint, requested_at,
          tokens_at_time, rule_name, reason, denied)
        SELECT 'k' || i, 'u' || i %% 3, ('10.0.' || i %% 2 || '.' || i %% 5)::inet, '/p' || i %% 4,
          '2026-01-01T00:00:00Z'::timestamptz + i / 2 * interval '1 second', 0, 'r' || i %% 2, 'x', i
        FROM generate_series(1, %d) i
        """
            .formatted(rows));
  }

  /** Starts a server that keeps old rows, such as those that are inserted here. */
  private RunningServer keepingAll() {
    return DatabaseServer.start(url, folder, Map.of(Setting.VIOLATIONS_DAYS, "0"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 20",
    "user=u1, 7",
    "address=10.0.1.1, 2",
    "address=10.0.1.0/24, 10",
    "rule=r0, 10",
    "endpoint=/p3, 5",
    "key=k7, 1",
    "key=k7&rule=r0, 0",
    "from=2026-01-01T00:00:05Z, 11",
    "to=2026-01-01T00:00:05Z, 9",
    "user=u1&rule=r0&from=2026-01-01T00:00:02Z&to=2026-01-01T00:00:09Z, 3",
    "user=nobody, 0",
  })
  void violations_filtered_areTheSameInPagesOfAnySize(String filter, int count) {
    insert(20);
    try (RunningServer server = keepingAll()) {
      for (int limit : new int[] {1, 3, 1_000}) {
        List<String> ids = new ArrayList<>();
        String next = "";
        do {
          JsonNode page = json(get(server, "/v1/violations?limit=" + limit + "&" + filter + next));
          ids.addAll(page.at("/violations").findValuesAsText("id"));
          next = page.get("next").isNull() ? "" : "&after=" + page.get("next").asText();
        } while (!next.isEmpty());
        assertThat(ids).hasSize(count).doesNotHaveDuplicates();
        assertThat(ids.stream().map(Long::valueOf).toList())
            .isSortedAccordingTo(java.util.Comparator.reverseOrder());
      }
    }
  }

  @Test
  void page_rowsAddedInBetween_skipsAndRepeatsNothing() {
    insert(10);
    try (Database database = TestPostgres.database(url)) {
      ViolationRepository book = new ViolationRepository(database);
      ViolationFilter any = new ViolationFilter(null, null, null, null, null, null);
      List<ViolationRepository.StoredViolation> first = book.page(any, Optional.empty(), 4);
      insert(10);
      List<ViolationRepository.StoredViolation> rest =
          book.page(any, Optional.of(first.get(3).cursor()), 1_000);
      assertThat(rest.stream().map(ViolationRepository.StoredViolation::id))
          .contains(1L, 2L, 3L, 4L, 5L, 6L)
          .doesNotContain(7L, 8L, 9L, 10L);
    }
  }

  @Test
  void histogram_filtered_sumsDeniedRequests() {
    insert(20);
    try (RunningServer server = keepingAll()) {
      String period = "from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:12Z";
      assertThat(get(server, "/v1/violations/histogram?bars=4&" + period).body())
          .isEqualTo(
              "{\"source\":\"database\",\"start\":\"2026-01-01T00:00:00Z\","
                  + "\"end\":\"2026-01-01T00:00:12Z\",\"step_seconds\":3,"
                  + "\"denied\":[15,51,87,57]}");
      assertThat(
              json(get(server, "/v1/violations/histogram?bars=4&key=k7&" + period))
                  .at("/denied")
                  .toString())
          .isEqualTo("[0,7,0,0]");
      JsonNode all = json(get(server, "/v1/violations/histogram?to=2026-01-01T00:00:12Z"));
      assertThat(all.at("/start").asText()).isEqualTo("2026-01-01T00:00:00Z");
      assertThat(all.at("/denied").toString()).isEqualTo("[1,5,9,13,17,21,25,29,33,37,20,0]");
    }
  }

  @Test
  void top_by_sumsDeniedRequests() {
    insert(20);
    try (RunningServer server = keepingAll()) {
      JsonNode top = json(get(server, "/v1/violations/top?by=user&limit=2"));
      assertThat(top.at("/offenders").toString())
          .isEqualTo("[{\"value\":\"u2\",\"denied\":77},{\"value\":\"u1\",\"denied\":70}]");
      assertThat(
              json(get(server, "/v1/violations/top?by=rule&to=2026-01-01T00:00:02Z"))
                  .at("/offenders")
                  .toString())
          .isEqualTo("[{\"value\":\"r1\",\"denied\":4},{\"value\":\"r0\",\"denied\":2}]");
      assertThat(
              json(get(server, "/v1/violations/top?by=address&limit=1"))
                  .at("/offenders/0/value")
                  .asText())
          .startsWith("10.0.");
      assertThat(server.admin("/v1/violations/top").statusCode()).isEqualTo(400);
    }
  }

  @Test
  void runIfDue_tooOldOrTooMany_areDeletedOldestFirstInSteps() {
    insert(20);
    TestPostgres.execute(
        url,
        "INSERT INTO rate_limit_violation (bucket_key, tokens_at_time, rule_name, reason)"
            + " SELECT 'k', 0, 'r', 'x' FROM generate_series(1, 2500)");
    try (Database database = TestPostgres.database(url)) {
      Retention byAge = new Retention(30, 0);
      assertThat(byAge.step(database)).isEqualTo(20);
      assertThat(byAge.step(database)).isZero();
      Retention bySize = new Retention(0, 700);
      assertThat(bySize.step(database)).isEqualTo(1_000);
      bySize.runIfDue(database);
      assertThat(TestPostgres.value(url, "SELECT count(*) FROM rate_limit_violation"))
          .isEqualTo("700");
      assertThat(TestPostgres.value(url, "SELECT max(violation_id) FROM rate_limit_violation"))
          .isEqualTo("2520");
    }
  }

  private static HttpResponse<String> get(RunningServer server, String path) {
    return new RuleApi(server).send("GET", path, "");
  }

  /** A defect that prevents one batch from being written. */
  @Test
  void batchThatCannotBeWritten_isDropped_andLaterOnesAreWritten() {
    DenialTally tally = new DenialTally(10);
    try (Database database = new Database(DatabaseAddress.parse(url, Map.of()));
        ViolationWriter writer =
            new ViolationWriter(database, tally, new Retention(0, 0), new SimpleMeterRegistry())) {
      writer.start();
      // Its milliseconds overflow.
      deny(tally, "bad", Instant.MAX);
      await().until(() -> tally.dropped() == 1);
      deny(tally, "good", Instant.now());
      await().until(() -> sum().equals("1"));

      assertThat(TestPostgres.value(url, "SELECT bucket_key FROM rate_limit_violation"))
          .isEqualTo("good");
      assertThat(tally.size()).isZero();
    }
  }

  private static void deny(DenialTally tally, String key, Instant time) {
    tally.add(
        new DenialTally.Key("rule", key, false, 0),
        () -> new Violation(key, null, null, null, time, 0, null, "rule", "limit", 1));
  }
}
