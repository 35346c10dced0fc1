package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The endpoints that read samples of access logs, on a running server. */
class LogReportsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path SAMPLE = Path.of("../docs/examples/access-log.txt");
  private static final String POLICY =
      "rules: [{name: callers, limit_keys: ['ip:address'], rate: 1/s, burst: 10}]\n";

  @TempDir private static Path folder;
  private static RunningServer server;

  @BeforeAll
  static void start() {
    server =
        RunningServer.with(Map.of(Setting.POLICY, RunningServer.write(folder, POLICY).toString()));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void replay_sample_reportsDenialsOfTheActivePolicy() throws IOException {
    HttpResponse<String> answer = server.admin("/v1/replay", Files.readString(SAMPLE));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode report = JSON.readTree(answer.body());
    assertThat(report.at("/log/requests").asInt()).isEqualTo(2_935);
    assertThat(report.at("/policies/0/denied").asInt()).isEqualTo(291);
    assertThat(report.at("/policies/0/rules/0/worst_keys/0/key").asText())
        .isEqualTo("ip:address=203.0.113.9");
  }

  @Test
  void advise_sample_suggestsAPolicy() throws IOException {
    HttpResponse<String> answer =
        server.admin("/v1/advise?per=endpoint&spare=99", Files.readString(SAMPLE));

    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonNode report = JSON.readTree(answer.body());
    assertThat(report.at("/advice/groups/0/suggestions")).hasSize(3);
    assertThat(report.get("policy").asText()).contains("path\": \"/products/*\"");
  }

  @Test
  void sample_largerThanTheLimits_isReadInPart() throws IOException {
    StringBuilder log = new StringBuilder("time,ip,count\n");
    for (int i = 0; i < 200_000; i++) {
      log.append(1_760_000_000 + i / 100).append(",192.0.2.").append(i % 200).append(",1\n");
    }
    String many = "time,ip,count\n" + "1760000000,192.0.2.1,1000000\n".repeat(100);

    JsonNode report = JSON.readTree(server.admin("/v1/replay", log.toString()).body());

    assertThat(report.at("/log/requests").asInt()).isEqualTo(100_000);
    assertThat(report.at("/log/notes/0").asText())
        .isEqualTo("only the first 100000 requests are read");
    assertThat(server.admin("/v1/advise", many).statusCode()).isEqualTo(200);
    assertThat(server.admin("/v1/replay", "x".repeat((8 << 20) + 1)).statusCode()).isEqualTo(413);
  }

  @Test
  void sample_invalid_isRejected() throws IOException {
    String sample = Files.readString(SAMPLE);
    for (String path :
        new String[] {
          "/v1/advise?key=bad:key", "/v1/advise?spare=x", "/v1/advise?spare=0", "/v1/replay?x=1"
        }) {
      assertThat(server.admin(path, sample).statusCode()).as(path).isEqualTo(400);
    }
    HttpResponse<String> answer = server.admin("/v1/replay", "\u001b[31m<script>\n");
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("the format is not recognized", "\\\\x1B[31m<script>");
    // The place of a rejected log is free again.
    assertThat(server.admin("/v1/replay", sample).statusCode()).isEqualTo(200);
  }
}
