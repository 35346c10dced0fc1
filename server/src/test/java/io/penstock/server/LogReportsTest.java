package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
  void advise_folding_canBeOverridden() throws IOException {
    String log = "time,ip,path\n" + "1760000000,192.0.2.1,/items/7\n".repeat(3);

    JsonNode plain = JSON.readTree(server.admin("/v1/advise?per=path&fold_ids=false", log).body());
    JsonNode custom =
        JSON.readTree(server.admin("/v1/advise?per=path&fold=%2Fa*%20%2Fit*", log).body());

    assertThat(plain.at("/advice/groups/0/match/path").asText()).isEqualTo("/items/7");
    assertThat(custom.at("/advice/groups/0/match/path").asText()).isEqualTo("/it*");
    assertThat(custom.get("cases").asText()).contains("path: \"/it42\"");
  }

  @Test
  void sample_uploadedSlowly_doesNotBlockOthers() throws IOException {
    String sample = "time,ip\n1760000000,192.0.2.1\n";
    Map<Setting, String> patient =
        Map.of(
            Setting.POLICY,
            RunningServer.write(folder, POLICY).toString(),
            Setting.REQUEST_TIMEOUT_MS,
            "60000");
    List<Socket> slow = new ArrayList<>();
    try (RunningServer other = RunningServer.with(patient)) {
      for (int i = 0; i < 3; i++) {
        slow.add(startUpload(other, sample));
      }
      await().until(() -> other.admin("/v1/replay", sample).statusCode() == 200);
      // An upload gets 503 itself if it comes during the request, which also takes a place.
      await()
          .until(
              () -> {
                slow.add(startUpload(other, sample));
                return other.admin("/v1/replay", sample).statusCode() == 503;
              });
      slow.get(0).getOutputStream().write(sample.getBytes(UTF_8));
      assertThat(RunningServer.rest(slow.get(0))).startsWith("HTTP/1.1 200");
      for (Socket socket : slow) {
        socket.close();
      }
      // The places of clients that have left are free again.
      for (int i = 0; i < 5; i++) {
        await().until(() -> other.admin("/v1/advise", sample).statusCode() == 200);
      }
    } finally {
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  private static Socket startUpload(RunningServer to, String sample) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), to.server().adminPort());
    String head =
        "POST /v1/replay HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
            + sample.getBytes(UTF_8).length
            + "\r\n\r\n";
    socket.getOutputStream().write(head.getBytes(UTF_8));
    return socket;
  }

  @Test
  void sample_invalid_isRejected() throws IOException {
    String sample = Files.readString(SAMPLE);
    for (String path :
        new String[] {
          "/v1/advise?key=bad:key",
          "/v1/advise?spare=x",
          "/v1/advise?spare=0",
          "/v1/replay?x=1",
          "/v1/advise?fold=items",
          "/v1/advise?fold_ids=maybe"
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
