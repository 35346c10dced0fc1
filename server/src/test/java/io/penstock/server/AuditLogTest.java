package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.server.admin.KeyEndpoints;
import io.penstock.server.http.AccessTokens;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Changes through the admin listener are logged with their author. */
class AuditLogTest {
  private static final String POLICY =
      """
      rules:
        - {name: two, limit_keys: [user_id], rate: 1/h, burst: 2}
        - {name: tool, limit_keys: ["header:x-api-key"], rate: 1/h, burst: 2}
      """;
  private static final String KEY = "\"rule\":\"two\",\"key\":{\"user_id\":\"hunter2\"}";

  @TempDir private Path folder;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void collect() {
    log.start();
    loggers().forEach(logger -> logger.addAppender(log));
  }

  @AfterEach
  void stop() {
    loggers().forEach(logger -> logger.detachAppender(log));
  }

  private static List<Logger> loggers() {
    return List.of(
        (Logger) LoggerFactory.getLogger(KeyEndpoints.class),
        (Logger) LoggerFactory.getLogger(KeyOverrides.class),
        (Logger) LoggerFactory.getLogger(ModeSwitch.class));
  }

  @Test
  void change_withAToken_isLoggedWithItsNameRoleAndAddress() {
    String tokens = "write:ops:" + AccessTokens.hashOf("secret");
    try (RunningServer server = RunningServer.with(Map.of(Setting.ADMIN_TOKENS, tokens))) {
      send(server, "/v1/mode", "{\"mode\":\"shadow\"}");
      send(server, "/v1/mode", "{\"mode\":\"policy\"}");
    }
    assertThat(lines()).hasSize(2).allMatch(line -> line.endsWith("by ops (write) from 127.0.0.1"));
  }

  @Test
  void keys_resetAndGranted_areLoggedWithTheirAuthorAndHashedWherePrivate() {
    Map<Setting, String> settings =
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, POLICY).toString(),
            Setting.ADMIN_TOKENS,
            "write:ops:" + AccessTokens.hashOf("secret"));
    try (RunningServer server = RunningServer.with(settings)) {
      send(server, "/v1/keys/peek", "{" + KEY + "}");
      send(server, "/v1/keys/reset", "{" + KEY + "}");
      send(server, "/v1/keys/grant", "{" + KEY + ",\"tokens\":1.5}");
      String secret = "\"rule\":\"tool\",\"key\":{\"header:x-api-key\":\"sesame\"}";
      send(server, "/v1/keys/reset", "{" + secret + "}");
      send(server, "/v1/keys/reset", "{\"rule\":\"two\",\"key\":{\"user_id\":\"a\\nb\u202e\"}}");
    }
    List<String> lines = lines();
    assertThat(lines).hasSize(4);
    assertThat(lines.get(0))
        .isEqualTo("key user_id=hunter2 of rule two reset by ops (write) from 127.0.0.1");
    assertThat(lines.get(1))
        .isEqualTo(
            "key user_id=hunter2 of rule two granted 1.5 tokens by ops (write) from 127.0.0.1");
    assertThat(lines.get(2))
        .matches("key header:x-api-key=#\\S{22} of rule tool reset by ops \\(write\\) from .*");
    assertThat(lines.get(3)).startsWith("key user_id=a%0Ab%u202E of rule two reset");
  }

  @Test
  void keyOverride_setAndEnded_isLoggedWithTheAuthorAndTheKey() {
    Map<Setting, String> settings =
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, POLICY).toString(),
            Setting.ADMIN_TOKENS,
            "write:ops:" + AccessTokens.hashOf("secret"));
    try (RunningServer server = RunningServer.with(settings)) {
      send(server, "/v1/keys/override", "{" + KEY + ",\"rate\":\"5/min\",\"burst\":9}");
      send(server, "/v1/keys/override/end", "{" + KEY + "}");
      send(server, "/v1/keys/override/end", "{" + KEY + "}");
    }
    assertThat(lines()).hasSize(2);
    assertThat(lines().get(0))
        .matches(
            "limit of key user_id=hunter2 of rule two overridden: 5/min burst 9 until \\S+,"
                + " by ops \\(write\\) from 127.0.0.1");
    assertThat(lines().get(1))
        .isEqualTo(
            "override of key user_id=hunter2 of rule two ended by ops (write) from 127.0.0.1");
  }

  @Test
  void change_withoutTokens_isLoggedAsAnonymous() {
    try (RunningServer server = RunningServer.with(Map.of())) {
      send(server, "/v1/mode", "{\"mode\":\"shadow\"}");
    }
    assertThat(lines()).singleElement().asString().endsWith(", by anonymous from 127.0.0.1");
  }

  private static void send(RunningServer server, String path, String body) {
    int status =
        RunningServer.send(
                server
                    .administration(path)
                    .header("Authorization", "Bearer secret")
                    .POST(HttpRequest.BodyPublishers.ofString(body)))
            .statusCode();
    assertThat(status).isEqualTo(200);
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    log.list.forEach(event -> lines.add(event.getFormattedMessage()));
    return lines;
  }
}
