package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.hostile.Listeners.Listener;
import io.penstock.server.proxy.Http2Frames;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests that once ended without a response, at each listener. Every failure is counted. */
class HostileListenersTest {
  private static final int ENHANCE_YOUR_CALM = 11;
  private static final String LAST = "Host: a\r\nConnection: close\r\n";
  private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)content-length: (\\d+)");
  private static final String PROBLEM =
      "HTTP/1\\.1 400 Bad Request\r\n.*application/problem\\+json\r\n.*\"status\":400.*}";
  private static final String PROBLEM_400 = "(?s)" + PROBLEM;

  @TempDir private static Path folder;
  private static Listeners listeners;

  @BeforeAll
  static void start() {
    listeners = new Listeners(folder, Map.of(Setting.REQUEST_TIMEOUT_MS, "60000"));
  }

  @AfterAll
  static void stop() {
    listeners.close();
  }

  @AfterEach
  void nothingFailed() {
    for (Listener listener : Listener.values()) {
      assertThat(listeners.failed(listener)).as("failures at %s", listener).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource
  void corpus_everyCompleteRequest_getsItsStatus(Listener listener) {
    assertAll(
        RawRequests.corpus().stream()
            .filter(request -> request.needsResponse(listener))
            .map(
                request ->
                    () ->
                        assertThat(statusOf(listener, request.bytes()))
                            .as(FuzzClient.shown(request.bytes()))
                            .isEqualTo(request.statuses().get(listener))));
  }

  /** Returns the status of the first response. */
  private static String statusOf(Listener listener, byte[] request) throws IOException {
    try (Socket socket = listeners.connect(listener)) {
      try {
        socket.getOutputStream().write(request);
      } catch (SocketException closedByThen) {
        // The response arrived before.
      }
      String line = new String(socket.getInputStream().readNBytes(12), ISO_8859_1);
      assertThat(line).startsWith("HTTP/1.");
      return line.substring(9);
    }
  }

  @ParameterizedTest
  @EnumSource
  void host_withAPercentSign_is400(Listener listener) {
    assertAll(
        () -> assertThat(get(listener, "Host: a%20b")).startsWith("HTTP/1.1 400"),
        () -> assertThat(get(listener, "Host: a%")).startsWith("HTTP/1.1 400"),
        () -> assertThat(get(listener, "Host: [::1]%20b")).startsWith("HTTP/1.1 400"),
        () -> assertThat(get(listener, "Host: [::1")).startsWith("HTTP/1.1 400"),
        () -> assertThat(get(listener, "Host: a%20b" + "c".repeat(99))).startsWith("HTTP/1.1 400"));
  }

  private static String get(Listener listener, String host) throws IOException {
    return listeners.raw(listener, "GET /livez HTTP/1.1\r\n" + host + "\r\n\r\n");
  }

  @ParameterizedTest
  @EnumSource
  void upgradeToHttp2_withInvalidHead_is400(Listener listener) {
    String upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: ";
    assertAll(
        () ->
            assertThat(get(listener, "Host: a%20b\r\n" + upgrade + "AAMAAABk"))
                .startsWith("HTTP/1.1 400"),
        () -> assertThat(status(listener, "Host: a\r\n" + upgrade + "!!")).isEqualTo("400"),
        () -> assertThat(status(listener, "Host: a\r\n" + upgrade + "AAIAAABk")).isEqualTo("400"));
  }

  private static String status(Listener listener, String fields) throws IOException {
    String sent = "GET /livez HTTP/1.1\r\n" + fields + "\r\n\r\n";
    return statusOf(listener, sent.getBytes(ISO_8859_1));
  }

  @ParameterizedTest
  @EnumSource
  void connect_http1_is405(Listener listener) throws IOException {
    assertThat(listeners.raw(listener, "CONNECT a:443 HTTP/1.1\r\n" + LAST + "\r\n"))
        .startsWith("HTTP/1.1 405");
  }

  @ParameterizedTest
  @EnumSource
  void connect_http2_is405(Listener listener) throws IOException {
    try (Http2Frames client = listeners.connectHttp2(listener)) {
      client.head(1, true, ":method", "CONNECT", ":authority", "a:443");
      assertThat(client.status(client.next(Http2Frames.HEADERS))).isEqualTo(405);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "DECISION,:authority,a%20b",
    "PROXY,:authority,a%20b",
    "ADMIN,:authority,a%20b",
    "ENVOY,:authority,a%20b",
    "PROXY,host,a%20b",
    "PROXY,:method,G T",
    "ADMIN,:method,G T"
  })
  void http2Stream_thatVertxRejects_failsAlone(Listener listener, String name, String value)
      throws IOException {
    try (Http2Frames client = listeners.connectHttp2(listener)) {
      client.head(1, false, ":method", "POST", ":scheme", "http", ":path", "/", ":authority", "a");
      client.head(3, true, http2(name, value));
      client.write(0, Http2Frames.END_STREAM, 1, new byte[0]);
      Map<Integer, Integer> statuses = new HashMap<>();
      while (statuses.size() < 2) {
        Frame head = client.next(Http2Frames.HEADERS);
        statuses.put(head.stream(), client.status(head));
      }
      assertThat(statuses.get(3)).isEqualTo(400);
      // The admin listener serves the console at this path, to GET only.
      Map<Listener, Integer> expected =
          Map.of(
              Listener.DECISION,
              404,
              Listener.PROXY,
              200,
              Listener.ADMIN,
              405,
              Listener.ENVOY,
              404);
      assertThat(statuses.get(1)).isEqualTo(expected.get(listener));
    }
  }

  private static String[] http2(String name, String value) {
    return new String[] {
      ":method",
      name.equals(":method") ? value : "GET",
      ":scheme",
      "http",
      ":path",
      "/",
      name.equals("host") ? "host" : ":authority",
      name.equals(":method") ? "a" : value
    };
  }

  @ParameterizedTest
  @CsvSource({
    "DECISION,/v1/check",
    "DECISION,/v1/check/batch",
    "DECISION,/json",
    "ENVOY,/json",
    "ADMIN,/v1/explain",
    "ADMIN,/v1/mode",
    "ADMIN,/v1/keys/peek",
    "ADMIN,/v1/keys/reset",
    "ADMIN,/v1/keys/override",
    "ADMIN,/v1/simulate"
  })
  void body_beyondTheLimitsOfJson_is400(Listener listener, String path) {
    assertAll(
        () ->
            assertThat(post(listener, path, "{\"cost\": " + "1".repeat(1_001) + "}"))
                .startsWith("HTTP/1.1 400"),
        () ->
            assertThat(post(listener, path, "{\"" + "a".repeat(50_001) + "\": 1}"))
                .startsWith("HTTP/1.1 400"),
        () -> assertThat(post(listener, path, "[".repeat(60_000))).startsWith("HTTP/1.1 400"),
        () ->
            assertThat(post(listener, path, "\"" + "a".repeat(60_000))).startsWith("HTTP/1.1 400"));
  }

  private static String post(Listener listener, String path, String body) throws IOException {
    return listeners.raw(
        listener,
        "POST "
            + path
            + " HTTP/1.1\r\n"
            + LAST
            + "Content-Length: "
            + body.length()
            + "\r\n\r\n"
            + body);
  }

  @Test
  void batch_ofUnknownFields_reportsTheFirstErrors() {
    String fields =
        IntStream.range(0, 60_000)
            .mapToObj(i -> "\"f" + i + "\":1")
            .collect(Collectors.joining(","));
    HttpResponse<String> answer =
        listeners.server().post("/v1/check/batch", "{\"checks\":[{" + fields + "}]}");

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).hasSizeLessThan(20_000).contains("\"… and 59,900 more\"");
  }

  @Test
  void batch_large_isAnsweredInOrder() {
    String checks =
        IntStream.range(0, 900)
            .mapToObj(
                i -> "{\"ip\":\"10.0.0.1\",\"attributes\":{\"a\":\"" + "x".repeat(300) + "\"}}")
            .collect(Collectors.joining(","));
    HttpResponse<String> answer =
        listeners.server().post("/v1/check/batch", "{\"checks\":[" + checks + "]}");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body().split("\"allowed\":true", -1)).hasSize(1_801);
  }

  @ParameterizedTest
  @CsvSource({
    "DECISION,xyz",
    "PROXY,xyz",
    "ADMIN,xyz",
    "ENVOY,xyz",
    "DECISION,-1",
    "PROXY,-1",
    "PROXY,FFFFFFFFFFFFFFFFFF",
    "PROXY,80000000",
    "PROXY,''",
    "PROXY,2~{}xx",
    "DECISION,2~{}xx",
    "PROXY,'2 2'",
    "PROXY,0~A b: c~~",
    "DECISION,2~{}~0~A: b~ c~",
    "PROXY,0~A: b~ c~",
    "ADMIN,2~{}~0~A: b~ c~",
    "ENVOY,2~{}~0~A: b~ c~",
    "PROXY,'0~A: b~\tc~D: e~'",
    "PROXY,0~ A: b~",
    "PROXY,2~{}~0~A: b~ c~"
  })
  void chunks_thatAreMalformed_are400(Listener listener, String chunks) throws IOException {
    String sent =
        "POST /v1/check HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + chunks.replace("~", "\r\n")
            + "\r\n{}\r\n0\r\n\r\n";
    if (listener == Listener.ADMIN) {
      sent = sent.replace("/v1/check", "/v1/explain");
    } else if (listener == Listener.ENVOY) {
      sent = sent.replace("/v1/check", "/json");
    }
    assertThat(listeners.raw(listener, sent)).matches(PROBLEM_400);
    assertThat(inPieces(listener, sent)).matches(PROBLEM_400);
    String pipelined = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" + sent;
    assertThat(listeners.raw(listener, pipelined)).matches("(?s)HTTP/1.1 (200|404) .*" + PROBLEM);
  }

  @ParameterizedTest
  @EnumSource
  void malformedChunk_ofABodyThatIsNotRead_endsTheConnectionAfterTheResponse(Listener listener)
      throws IOException {
    String first = "POST /none HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
    String second = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
    assertThat(listeners.raw(listener, first + second).split("HTTP/1.1 ", -1)).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource
  void version_unsupported_is400(Listener listener) throws IOException {
    for (String version : List.of("HTTP/9.9", "HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "ICE/1.0")) {
      String sent = "GET /livez " + version + "\r\nHost: a\r\n\r\n";
      assertThat(listeners.raw(listener, sent + sent)).as(version).matches(PROBLEM_400);
      assertThat(listeners.raw(listener, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" + sent))
          .as(version)
          .matches("(?s)HTTP/1.1 (200|404) .*" + PROBLEM);
    }
    assertThat(listeners.raw(listener, "GET /livez HTTP/9.9\r\nno colon\r\n\r\n"))
        .matches(PROBLEM_400);
  }

  @ParameterizedTest
  @EnumSource
  void invalidUpgradeToHttp2_is400AndBytesBehindItAreNotARequest(Listener listener)
      throws IOException {
    String settings = "HTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    String both = "Connection: Upgrade, HTTP2-Settings\r\n";
    for (String headers :
        List.of(
            both + "Upgrade: websocket\r\nUpgrade: h2c\r\n" + settings,
            both + "Upgrade: h2c\r\nUpgrade: websocket\r\n" + settings,
            both + "Upgrade: h2c\r\n",
            both + "Upgrade: h2c\r\nHTTP2-Settings: !!\r\n",
            both + "Upgrade: h2c\r\n" + settings + settings,
            "Connection: Upgrade\r\nUpgrade: h2c\r\n" + settings,
            "Upgrade: h2c\r\n" + settings)) {
      String sent = "GET /livez HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
      String behind = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
      assertThat(listeners.raw(listener, sent + behind)).as(headers).matches(PROBLEM_400);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "DECISION,GET /livez,Upgrade",
    "PROXY,GET /livez,Upgrade",
    "ADMIN,GET /livez,Upgrade",
    "ENVOY,GET /livez,Upgrade",
    "DECISION,POST /livez,'keep-alive, upgrade'",
    "PROXY,POST /livez,'keep-alive, upgrade'",
    "ADMIN,POST /livez,'keep-alive, upgrade'",
    "DECISION,CONNECT a:1,x",
    "PROXY,CONNECT a:1,x",
    "ADMIN,CONNECT a:1,x",
    "ENVOY,CONNECT a:1,x"
  })
  void bytesBehindARequestForAnotherProtocol_areNotARequest(
      Listener listener, String line, String connection) throws IOException {
    String sent =
        line
            + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nUpgrade: x\r\nConnection: "
            + connection
            + "\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
    assertThat(listeners.raw(listener, sent).split("HTTP/1.1 ", -1)).hasSize(2);
    assertThat(
            listeners
                .raw(listener, "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n" + sent)
                .split("HTTP/1.1 ", -1))
        .hasSize(3);
  }

  @ParameterizedTest
  @EnumSource
  void requestForAnotherProtocol_rejected_keepsTheConnection(Listener listener) throws IOException {
    String upgrade = "GET /livez HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n";
    try (Socket socket = listeners.connect(listener)) {
      for (int i = 0; i < 3; i++) {
        socket.getOutputStream().write(upgrade.getBytes(ISO_8859_1));
        assertThat(head(socket)).matches("(?s)HTTP/1.1 (200|404) .*");
      }
    }
  }

  /** Reads a response, and returns its head. */
  private static String head(Socket socket) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = socket.getInputStream().read();
      assertThat(next).as("the end of %s", head).isNotNegative();
      head.append((char) next);
    }
    Matcher length = CONTENT_LENGTH.matcher(head);
    assertThat(length.find()).isTrue();
    socket.getInputStream().readNBytes(Integer.parseInt(length.group(1)));
    return head.toString();
  }

  /** Sends the head separately, so that the body is read later. */
  private static String inPieces(Listener listener, String sent) throws IOException {
    try (Socket socket = listeners.connect(listener)) {
      OutputStream out = socket.getOutputStream();
      int body = sent.indexOf("\r\n\r\n") + 4;
      out.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
      String first = new String(socket.getInputStream().readNBytes(9), ISO_8859_1);
      assertThat(first).isEqualTo("HTTP/1.1 ");
      out.write(sent.substring(0, body).getBytes(ISO_8859_1));
      out.flush();
      out.write(sent.substring(body).getBytes(ISO_8859_1));
      String rest = RunningServer.rest(socket);
      return rest.substring(rest.lastIndexOf("HTTP/1.1 "));
    }
  }

  @ParameterizedTest
  @EnumSource
  void requestLine_ofAMegabyte_isAnsweredOnce(Listener listener) throws IOException {
    try (Socket socket = listeners.connect(listener)) {
      OutputStream out = socket.getOutputStream();
      try {
        out.write(("GET /" + "a".repeat(1 << 20) + " HTTP/1.1\r\n\r\n").getBytes(ISO_8859_1));
      } catch (SocketException closedByThen) {
        // The response arrived before.
      }
      assertThat(RunningServer.rest(socket).split("HTTP/1", -1)).hasSize(2);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "DECISION,6,8,0",
    "PROXY,6,8,0",
    "ADMIN,6,8,0",
    "ENVOY,6,8,0",
    "PROXY,4,0,0",
    "PROXY,4,6,0",
    "PROXY,2,5,1",
    "PROXY,8,4,0",
    "PROXY,77,10,0"
  })
  void controlFrames_tooMany_closeTheConnection(Listener listener, int type, int size, int stream)
      throws IOException {
    byte[] payload = new byte[size];
    if (type == 8 || (type == 4 && size > 0)) {
      payload[size - 1] = 1;
      payload[1] = (byte) (type == 4 ? 3 : 0);
    }
    try (Http2Frames client = listeners.connectHttp2(listener)) {
      Thread flood = new Thread(() -> flood(client, type, stream, payload));
      flood.start();
      Frame end = client.next(Http2Frames.GO_AWAY);
      assertThat(end).isNotNull();
      assertThat(end.number(4)).isEqualTo(ENHANCE_YOUR_CALM);
    }
  }

  private static void flood(Http2Frames client, int type, int stream, byte[] payload) {
    try {
      for (int i = 0; i < 10_000; i++) {
        client.write(type, 0, stream, payload);
      }
    } catch (IOException closedByThen) {
      // A GOAWAY with the reason was sent before.
    }
  }

  @Test
  void pings_withTraffic_areAnswered() throws IOException {
    try (Http2Frames client = listeners.connectHttp2(Listener.PROXY)) {
      for (int i = 0; i < 3_000; i++) {
        client.get(2 * i + 1, true);
        client.write(Http2Frames.PING, 0, 0, new byte[8]);
        assertThat(client.next(Http2Frames.HEADERS)).isNotNull();
      }
    }
  }
}
