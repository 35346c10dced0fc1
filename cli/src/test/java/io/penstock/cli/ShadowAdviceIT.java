package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.luben.zstd.Zstd;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Advice from what a real server recorded for a rule in shadow mode. */
@Tag("full")
class ShadowAdviceIT {
  private static final String POLICY =
      """
      attributes: {user_id: caller}
      rules:
        - {name: next, limit_keys: [user_id], rate: 1/h, burst: 1, mode: shadow}
        - {name: other, limit_keys: ["ip:address"], rate: 1/h, burst: 1, mode: shadow, group: other}
      """;

  private static final int REQUESTS = 11;

  @TempDir private Path folder;

  private static void send(Service service) throws IOException, InterruptedException {
    for (String user : List.of("ann", "bob")) {
      for (int i = 0; i < REQUESTS; i++) {
        String body =
            "{\"ip\":\"192.0.2.7\",\"path\":\"/search\",\"attributes\":{\"user_id\":\"%s\"}}"
                .formatted(user);
        HttpRequest request =
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + service.port() + "/v1/check"))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> response =
            HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString(UTF_8));
        assertThat(response.statusCode()).isEqualTo(200);
      }
    }
  }

  private static JsonNode advise(String... arguments) throws IOException {
    List<String> words = new ArrayList<>(List.of("advise", "--json"));
    words.addAll(List.of(arguments));
    CommandRun run = CommandRun.of(words.toArray(new String[0]));
    assertThat(run.status()).as(run.err()).isZero();
    return new ObjectMapper().readTree(run.out());
  }

  private static long requests(String url) throws IOException {
    CommandRun run =
        CommandRun.of(
            "advise", "--json", "--violations", url, "--rule", "next", "--key", "user_id");
    return run.status() == 0
        ? new ObjectMapper().readTree(run.out()).at("/log/requests").asLong()
        : 0;
  }

  private static void check(Service service) throws Exception {
    String url = "http://127.0.0.1:" + service.adminPort();
    send(service);
    // Records are written a moment after the requests.
    await("records").until(() -> requests(url) == 2 * (REQUESTS - 1));

    JsonNode advice =
        advise("--violations", url, "--rule", "next", "--key", "user_id", "--per", "path");

    assertThat(advice.at("/groups/0/match/path").asText()).isEqualTo("/search");
    assertThat(advice.at("/groups/0/keys").asInt()).isEqualTo(2);
    assertThat(advice.at("/groups/0/requests").asInt()).isEqualTo(2 * (REQUESTS - 1));
    assertThat(advice.at("/policy").asText()).contains("limit_keys: [\"user_id\"]");
    assertThat(advise("--violations", url, "--rule", "other").at("/groups/0/keys").asInt()).isOne();
  }

  @Test
  void advise_violationsInMemory_areRead() throws Exception {
    Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
    try (Service service = Service.start(folder, "--policy=" + policy)) {
      check(service);
    }
  }

  @Test
  void advise_violationsInTheDatabase_areReadFromTheServerAndAsAnExport() throws Exception {
    Path policy = Files.writeString(folder.resolve("policy.yaml"), POLICY);
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().setServerConfig("fsync", "off").start()) {
      String target =
          "--postgres=postgres://postgres@127.0.0.1:" + postgres.getPort() + "/postgres";
      assertThat(CommandRun.of("rules", "apply", policy.toString(), target).status()).isZero();
      try (Service service =
          Service.start(folder, target, "--postgres-snapshot=" + folder.resolve("s.json"))) {
        check(service);
      }

      Path export = folder.resolve("export.csv");
      try (Connection connection = postgres.getPostgresDatabase().getConnection();
          Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT requested_at, ip_address, user_id, endpoint, denied"
                      + " FROM rate_limit_violation WHERE rule_name = 'next'")) {
        StringBuilder csv = new StringBuilder("requested_at,ip_address,user_id,endpoint,denied\n");
        while (rows.next()) {
          csv.append(
              String.join(
                      ",",
                      rows.getString(1),
                      rows.getString(2),
                      rows.getString(3),
                      rows.getString(4),
                      rows.getString(5))
                  + "\n");
        }
        Files.writeString(export, csv);
      }
      JsonNode advice = advise("--key", "user_id", export.toString());
      assertThat(advice.at("/log/requests").asInt()).isEqualTo(2 * (REQUESTS - 1));
      assertThat(advice.at("/groups/0/keys").asInt()).isEqualTo(2);
    }
  }

  @Test
  void advise_zstd_isReadByThePackagedProgram() throws Exception {
    byte[] log = Files.readAllBytes(Path.of("../docs/examples/access-log.txt"));
    Path compressed = Files.write(folder.resolve("access.log.zst"), Zstd.compress(log));

    try (JarRun run = JarRun.start(folder, List.of("advise", compressed.toString()))) {
      assertThat(run.await()).as(run.err()).isZero();
      assertThat(run.out()).startsWith("2,935 requests");
    }
  }

  /** A file as the console's violations page saves it. */
  @Test
  void advise_csvOfTheConsole_isRead() throws Exception {
    Path export =
        Files.writeString(
            folder.resolve("violations.csv"),
            """
            requested_at,rule,reason,key,user_id,ip_address,endpoint,tokens_at_time,denied
            2025-10-10T13:55:36.123456Z,next,shadow,user_id=ann,ann,192.0.2.7,/a,0.5,3
            2025-10-10T13:55:35Z,next,shadow,user_id=bob,bob,,/a,0.5,4
            """
                .replace("\n", "\r\n"));

    JsonNode advice = advise("--key", "user_id", "--per", "path", export.toString());

    assertThat(advice.at("/log/requests").asInt()).isEqualTo(7);
    assertThat(advice.at("/groups/0/keys").asInt()).isEqualTo(2);
  }
}
