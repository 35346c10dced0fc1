package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The constraints of the table, for rows that are written with SQL. */
class RuleConstraintsIT {
  private static String url;

  @BeforeAll
  static void migrate() {
    url = TestPostgres.migrated();
  }

  @Test
  void insert_rowsOfTheSeed_areAcceptedAndNamed() {
    String own = TestPostgres.migrated();
    TestPostgres.execute(
        own,
        """
        INSERT INTO rate_limit_rule (key_pattern, scope, rate_per_second, burst_capacity, plan)
        VALUES ('user:{user_id}', 'user', 10, 50, 'free'),
               ('user:{user_id}', 'user', 100, 500, 'pro'),
               ('endpoint:/api/search', 'endpoint', 1000, 2000, NULL),
               ('global', 'global', 50000, 100000, NULL)
        """);

    assertThat(value(own, "SELECT string_agg(name, ',' ORDER BY rule_id) FROM rate_limit_rule"))
        .isEqualTo("user:{user_id} free,user:{user_id} pro,endpoint:/api/search,global");
    assertThat(value(own, "SELECT DISTINCT on_store_failure FROM rate_limit_rule"))
        .isEqualTo("local");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "name_is_printable_ascii_without_quotes; name; 'a\"b'",
        "name_is_printable_ascii_without_quotes; name; '/a'",
        "name_is_printable_ascii_without_quotes; name; ''",
        "key_pattern_is_global_an_endpoint_or_has_keys_in_braces; key_pattern; 'user'",
        "key_pattern_is_global_an_endpoint_or_has_keys_in_braces; key_pattern; 'endpoint:/{id}'",
        "scope_is_a_word; scope; 'User!'",
        "scope_matches_key_pattern; scope; 'global'",
        "scope_matches_key_pattern; scope; 'ip'",
        "plan_is_not_empty; plan; ''",
        "plan_is_stated_once; (plan, match); ('a', '{\"plan\":\"b\"}')",
        "match_is_an_object; match; '[]'",
        "exactly_one_limit_is_stated; rate; '5/min'",
        "exactly_one_limit_is_stated; (rate_per_second, burst_capacity); (NULL, NULL)",
        "burst_capacity_needs_a_rate; rate_per_second; NULL",
        "exactly_one_limit_is_stated; options; '{\"unlimited\": true}'",
        "rate_per_second_is_positive; rate_per_second; 0",
        "rate_per_second_is_positive; rate_per_second; -1",
        "rate_per_second_is_positive; rate_per_second; 'NaN'",
        "burst_capacity_is_positive; burst_capacity; 0",
        "mode_is_enforce_shadow_or_off; mode; 'on'",
        "on_store_failure_is_local_open_or_closed; on_store_failure; 'fail_open'",
        "costs_are_positive; fixed_cost; 0",
        "costs_are_positive; default_cost; -2",
        "options_are_fields_without_a_column; options; '{\"mode\": \"off\"}'",
        "options_are_fields_without_a_column; options; '[]'",
      })
  void update_invalidValue_isRejectedByANamedConstraint(
      String constraint, String column, String value) {
    TestPostgres.execute(
        url,
        "DELETE FROM rate_limit_rule",
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate_per_second, burst_capacity)"
            + " VALUES ('good', 'user:{user_id}', 'user', 10, 50)");

    assertThatThrownBy(
            () -> TestPostgres.execute(url, "UPDATE rate_limit_rule SET " + column + " = " + value))
        .hasMessageContaining(constraint);
  }

  @Test
  void insert_sameKeysAndPlanTwice_isRejected() {
    String own = TestPostgres.migrated();
    String insert =
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate_per_second, is_active)"
            + " VALUES ('%s', 'ip:{ip}', 'ip', 1, %s)";
    TestPostgres.execute(own, insert.formatted("a", true), insert.formatted("draft", false));

    assertThatThrownBy(() -> TestPostgres.execute(own, insert.formatted("b", true)))
        .hasMessageContaining("rate_limit_rule_is_not_a_duplicate");
    assertThatThrownBy(() -> TestPostgres.execute(own, insert.formatted("a", false)))
        .hasMessageContaining("name_is_unique");
  }

  @Test
  void change_byAnyone_changesTheVersionAndAddsHistory() {
    String own = TestPostgres.migrated();
    TestPostgres.execute(
        own,
        "INSERT INTO rate_limit_rule (name, key_pattern, scope, rate_per_second)"
            + " VALUES ('a', 'global', 'global', 1)");
    String first = value(own, "SELECT version FROM rate_limit_rule");
    TestPostgres.execute(own, "UPDATE rate_limit_rule SET rate_per_second = 1");
    assertThat(value(own, "SELECT version FROM rate_limit_rule")).isEqualTo(first);
    TestPostgres.execute(own, "UPDATE rate_limit_rule SET rate_per_second = 2, version = 1");
    assertThat(value(own, "SELECT version FROM rate_limit_rule")).isNotEqualTo(first);
    TestPostgres.execute(own, "DELETE FROM rate_limit_rule");

    assertThat(
            value(
                own,
                "SELECT string_agg(concat_ws(' ', action, changed_by, before->>'rate_per_second',"
                    + " after->>'rate_per_second'), ',' ORDER BY history_id)"
                    + " FROM rate_limit_rule_history"))
        .isEqualTo("insert postgres 1,update postgres 1 2,delete postgres 2");
  }

  @Test
  void run_again_changesNothing() throws Exception {
    try (Database database = TestPostgres.database(url)) {
      Migrations.run(database);
      Migrations.run(database);
    }
  }

  private static String value(String url, String query) {
    return TestPostgres.value(url, query);
  }
}
