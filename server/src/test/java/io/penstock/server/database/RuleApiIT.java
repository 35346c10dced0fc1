package io.penstock.server.database;

import static io.penstock.server.database.RuleApi.json;
import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.admin.RuleEndpoints;
import io.penstock.server.http.AccessTokens;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class RuleApiIT {
  private static final String READER = "reader-0123456789-0123456789-012";
  private static final String WRITER = "writer-0123456789-0123456789-012";
  private static final String USERS =
      "{\"name\":\"users\",\"limit_keys\":[\"user_id\"],\"rate\":\"1/h\",\"burst\":5}";

  @TempDir private Path folder;
  private String url;
  private RunningServer server;
  private RuleApi api;

  @BeforeEach
  void start() {
    url = TestPostgres.migrated();
    server = DatabaseServer.start(url, folder);
    api = new RuleApi(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String body(String rule) {
    return "{\"rule\":" + rule + "}";
  }

  private static String body(String rule, long version) {
    return "{\"rule\":" + rule + ",\"version\":" + version + "}";
  }

  @Test
  void post_rule_isStoredActiveAndInTheHistory() throws Exception {
    HttpResponse<String> created = api.post(body(USERS));
    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(json(created).at("/changes/0/action").asText()).isEqualTo("create");
    await()
        .until(
            () ->
                server
                    .check("{\"cost\":0,\"attributes\":{\"user_id\":\"1\"}}")
                    .body()
                    .contains("\"limit\":5,"));
    assertThat(json(api.get("users")).at("/rule/rate").asText()).isEqualTo("1/h");
    JsonNode change = json(get(server, "/v1/history?rule=users")).at("/changes/0");
    assertThat(change.get("changed_by").asText()).isEqualTo("anonymous from 127.0.0.1");
    assertThat(change.get("before").isNull()).isTrue();
    assertThat(change.at("/after/rate").asText()).isEqualTo("1/h");
    assertThat(api.post(body(USERS)).statusCode()).isEqualTo(409);
  }

  @Test
  void history_changedRule_hasTheRuleBeforeInTheFormOfTheEndpoints() {
    api.post("{\"tier_order\":30,\"rule\":" + USERS + "}");
    String before = json(api.get("users")).get("rule").toString();
    String changed = USERS.replace("1/h", "7/h").replace("{", "{\"match\":{\"plan\":\"pro\"},");
    assertThat(api.put("users", body(changed, api.version("users"))).statusCode()).isEqualTo(200);
    JsonNode changes = json(api.send("GET", "/v1/history?rule=users", "")).get("changes");
    assertThat(changes.at("/1/rule_before").isNull()).isTrue();
    JsonNode restored = changes.at("/0/rule_before");
    assertThat(restored.get("rule")).hasToString(before);
    assertThat(restored.get("tier_order").asInt()).isEqualTo(30);
    assertThat(restored.get("active").asBoolean()).isTrue();
    String again = body(restored.get("rule").toString(), api.version("users"));
    assertThat(api.put("users", again).statusCode()).isEqualTo(200);
    assertThat(json(api.get("users")).get("rule")).hasToString(before);
  }

  @Test
  void post_invalidRule_hasTheErrorsOfTheLoader() {
    HttpResponse<String> rejected =
        api.post(
            "{\"rule\":{\"name\":\"x\",\n\"limit_keys\":[\"user_id\"],\"rate\":\"5/fortnight\","
                + "\"burts\":1}}");
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body())
        .contains("\"field\":\"rule.rate\",\"message\":\"must have a unit of time")
        .contains("\"field\":\"rule.burts\",\"message\":\"unknown field; did you mean burst?\"")
        .contains("\"line\":2");
    assertThat(TestPostgres.value(url, "SELECT count(*) FROM rate_limit_rule")).isEqualTo("0");
  }

  @Test
  void post_ruleThatWouldHideAnother_isRejected() {
    api.post(
        body(
            "{\"name\":\"pro\",\"limit_keys\":[\"user_id\"],\"rate\":\"9/s\","
                + "\"match\":{\"plan\":\"pro\"}}"));
    HttpResponse<String> rejected = api.post("{\"tier_order\":-1,\"rule\":" + USERS + "}");
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body())
        .contains("pro can never apply: users, new, matches all of its requests");
    assertThat(api.post("{\"tier_order\":1,\"rule\":" + USERS + "}").statusCode()).isEqualTo(201);
  }

  @Test
  void post_ruleWhoseShareIsUnsupported_isRejected() {
    String local =
        USERS
            .replaceFirst("\"rate\":\"[^\"]*\"", "\"rate\":\"0.0000001/s\"")
            .replaceFirst("\"burst\":[0-9]+", "\"share\":true,\"burst\":1");
    assertThat(api.post(body(local)).statusCode()).isEqualTo(201);
    long version = api.version("users");

    Map<Setting, String> redis = Map.of(Setting.REDIS, "redis://127.0.0.1:1", Setting.NODES, "64");
    try (RunningServer shared = DatabaseServer.start(url, folder.resolve("shared"), redis)) {
      RuleApi there = new RuleApi(shared);
      HttpResponse<String> rejected =
          there.post(body(local.replace("users", "others").replace("user_id", "other_id")));
      assertThat(rejected.statusCode()).isEqualTo(400);
      assertThat(rejected.body())
          .contains("\"field\":\"rule\",\"message\":\"rule others: burst / rate must be at most");
      assertThat(there.put("users", body(local, version)).statusCode()).isEqualTo(400);
      // A rule that is not active takes no requests from others.
      String later = "{\"name\":\"later\",\"limit_keys\":[\"user_id\"],\"rate\":\"1/h\",";
      String body = "{\"tier_order\":9,\"rule\":" + later + "\"match\":{\"tenant\":\"a\"}}}";
      assertThat(api.post(body).statusCode()).isEqualTo(400);
      assertThat(there.post(body).statusCode()).isEqualTo(201);
    }
  }

  @Test
  void put_staleVersion_isAConflictAndChangesNothing() {
    api.post(body(USERS));
    long version = api.version("users");
    String other = USERS.replace("5", "7");
    HttpResponse<String> changed = api.put("users", body(other, version));
    assertThat(changed.statusCode()).isEqualTo(200);
    assertThat(json(changed).at("/changes/0/fields").toString()).isEqualTo("[\"burst\"]");

    HttpResponse<String> stale = api.put("users", body(USERS, version));
    assertThat(stale.statusCode()).isEqualTo(409);
    assertThat(stale.body()).contains("the rule has changed");
    assertThat(json(api.get("users")).at("/rule/burst").asInt()).isEqualTo(7);
    assertThat(api.put("users", body(USERS)).body()).contains("version", "is required");
    for (String number : List.of("1.5", "1e19")) {
      HttpResponse<String> wrong =
          api.put("users", body(USERS, 1).replace("\"version\":1", "\"version\":" + number));
      assertThat(wrong.statusCode()).as(number).isEqualTo(400);
      assertThat(wrong.body()).contains("must be a whole number, the version of a rule");
    }
    assertThat(api.put("nobody", body(USERS, 1)).statusCode()).isEqualTo(404);
  }

  @Test
  void put_changedWithSqlInBetween_isAConflict() {
    api.post(body(USERS));
    long version = api.version("users");
    TestPostgres.execute(url, "UPDATE rate_limit_rule SET burst_capacity = 6");
    assertThat(api.put("users", body(USERS, version)).statusCode()).isEqualTo(409);
  }

  @Test
  void delete_rule_keepsItsHistory() {
    api.post(body(USERS));
    long version = api.version("users");
    assertThat(api.send("DELETE", "/v1/rules/users", "").statusCode()).isEqualTo(400);
    assertThat(api.send("DELETE", "/v1/rules/users?version=" + (version + 1), "").statusCode())
        .isEqualTo(409);
    assertThat(api.send("DELETE", "/v1/rules/users?version=" + version, "").statusCode())
        .isEqualTo(200);
    assertThat(api.get("users").statusCode()).isEqualTo(404);
    assertThat(json(get(server, "/v1/history")).at("/changes/0/action").asText())
        .isEqualTo("delete");
  }

  @Test
  void dryRun_anyChange_returnsChangesWithoutMakingThem() {
    HttpResponse<String> would = api.send("POST", "/v1/rules?dry_run=true", body(USERS));
    assertThat(would.statusCode()).isEqualTo(200);
    assertThat(json(would).get("dry_run").asBoolean()).isTrue();
    assertThat(json(would).at("/changes/0/after/rule/burst").asInt()).isEqualTo(5);
    assertThat(TestPostgres.value(url, "SELECT count(*) FROM rate_limit_rule")).isEqualTo("0");
    assertThat(TestPostgres.value(url, "SELECT count(*) FROM rate_limit_rule_history"))
        .isEqualTo("0");

    api.post(body(USERS));
    long version = api.version("users");
    api.send("PUT", "/v1/rules/users?dry_run=true", body(USERS.replace("5", "8"), version));
    api.send("DELETE", "/v1/rules/users?dry_run=true&version=" + version, "");
    api.send("PUT", "/v1/rules?dry_run=true", "{\"rules\":[],\"alone\":true}");
    assertThat(api.version("users")).isEqualTo(version);
    assertThat(api.send("POST", "/v1/rules?dry_run=1", body(USERS)).statusCode()).isEqualTo(400);
  }

  @Test
  void apply_rules_isAllOrNothing() {
    api.post(body(USERS));
    String other = "{\"name\":\"other\",\"limit_keys\":[\"ip:address\"],\"rate\":\"1/h\"}";
    String bad = "{\"name\":\"bad\",\"limit_keys\":[\"tenant\"],\"rate\":\"0/h\"}";
    HttpResponse<String> rejected =
        api.send("PUT", "/v1/rules", "{\"rules\":[" + other + "," + bad + "]}");
    assertThat(rejected.statusCode()).isEqualTo(400);
    assertThat(rejected.body()).contains("\"field\":\"rules[1].rate\"");
    assertThat(api.get("other").statusCode()).isEqualTo(404);

    JsonNode applied =
        json(api.send("PUT", "/v1/rules", "{\"rules\":[" + other + "],\"alone\":true}"));
    assertThat(applied.at("/changes").findValuesAsText("action"))
        .containsExactlyInAnyOrder("create", "delete");
    assertThat(json(get(server, "/v1/rules")).at("/rules").findValuesAsText("name"))
        .contains("other")
        .doesNotContain("users");
    assertThat(
            json(api.send("PUT", "/v1/rules", "{\"rules\":[" + other + "],\"alone\":true}"))
                .at("/changes")
                .size())
        .isZero();
  }

  @Test
  void list_pages_haveEachRuleOnce() {
    for (String key : new String[] {"a", "b", "c"}) {
      api.post(
          body("{\"name\":\"" + key + "\",\"limit_keys\":[\"" + key + "\"],\"rate\":\"1/h\"}"));
    }
    JsonNode first = json(get(server, "/v1/rules?limit=2"));
    assertThat(first.at("/rules").size()).isEqualTo(2);
    JsonNode second = json(get(server, "/v1/rules?limit=2&after=" + first.get("next").asLong()));
    assertThat(second.at("/rules/0/name").asText()).isEqualTo("c");
    assertThat(second.get("next").isNull()).isTrue();
  }

  @Test
  void tokens_roles_readersOnlyRead() {
    server.close();
    server =
        DatabaseServer.start(
            url,
            folder,
            Map.of(
                Setting.ADMIN_TOKENS,
                "read:looker:%s, write:ops:%s"
                    .formatted(AccessTokens.hashOf(READER), AccessTokens.hashOf(WRITER))));
    assertThat(as(null, "GET", "/v1/rules").statusCode()).isEqualTo(401);
    assertThat(as("wrong", "GET", "/v1/rules").statusCode()).isEqualTo(401);
    assertThat(as(AccessTokens.hashOf(READER), "GET", "/v1/rules").statusCode()).isEqualTo(401);
    assertThat(as(READER, "GET", "/v1/rules").statusCode()).isEqualTo(200);
    assertThat(as(READER, "POST", "/v1/rules").statusCode()).isEqualTo(403);
    assertThat(as(READER, "POST", "/v1/mode").statusCode()).isEqualTo(403);
    assertThat(as(READER, "POST", "/v1/explain").statusCode()).isEqualTo(400);
    assertThat(as(WRITER, "POST", "/v1/rules").statusCode()).isEqualTo(201);
    assertThat(as(READER, "GET", "/v1/history").body())
        .contains("\"changed_by\":\"ops (write) from 127.0.0.1\"");
    assertThat(server.admin("/readyz").statusCode()).isEqualTo(200);
  }

  @Test
  void changes_areLoggedWithTheirAuthor() {
    server.close();
    String tokens = "write:ops:" + AccessTokens.hashOf(WRITER);
    server = DatabaseServer.start(url, folder, Map.of(Setting.ADMIN_TOKENS, tokens));
    Logger logger = (Logger) LoggerFactory.getLogger(RuleEndpoints.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try {
      assertThat(as(WRITER, "POST", "/v1/rules?dry_run=true").statusCode()).isEqualTo(200);
      assertThat(as(WRITER, "POST", "/v1/rules").statusCode()).isEqualTo(201);
      long version = json(as(WRITER, "GET", "/v1/rules/users")).get("version").asLong();
      String path = "/v1/rules/users?version=" + version;
      assertThat(as(WRITER, "DELETE", path).statusCode()).isEqualTo(200);
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "rule changed in the database (create): users, by ops (write) from 127.0.0.1",
            "rule changed in the database (delete): users, by ops (write) from 127.0.0.1");
  }

  private HttpResponse<String> as(String token, String method, String path) {
    HttpRequest.Builder request =
        server
            .administration(path)
            .method(
                method,
                method.equals("GET")
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body(USERS)));
    return RunningServer.send(
        token == null ? request : request.header("Authorization", "Bearer " + token));
  }

  private static HttpResponse<String> get(RunningServer server, String path) {
    return new RuleApi(server).send("GET", path, "");
  }
}
