package io.penstock.cli.recipes;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.testing.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The contract that every proxy recipe must fulfill. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ProxyContract {
  private static final int BURST = 3;

  /** More requests than a proxy needs to regard Penstock as unavailable, if it counts them. */
  private static final int MORE_THAN_MAX_FAILS = 7;

  private static final String WEB_SOCKET =
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  private static final int LARGE_BODY_BYTES = 1 << 20;
  private static final List<String> RATE_LIMIT_HEADERS =
      List.of(
          "RateLimit-Limit",
          "RateLimit-Remaining",
          "RateLimit-Reset",
          "RateLimit",
          "RateLimit-Policy");

  private final Origin origin = new Origin();
  private Path folder;
  private Protected shared;

  /** Returns the name of the program. */
  abstract String program();

  /** Starts the program as documented. */
  abstract Running start(String program, Site site) throws IOException;

  @BeforeAll
  void startShared(@TempDir Path forAll) throws IOException {
    assumeTrue(OS.LINUX.isCurrentOs(), "only the loopback interface of Linux has many addresses");
    Program.onPath(program());
    folder = forAll;
    shared = withLongTimeouts();
  }

  @AfterAll
  void endAll() {
    if (shared != null) {
      shared.close();
    }
    origin.close();
  }

  /** Starts a proxy with long timeouts, for tests that must pass on a busy machine. */
  private Protected withLongTimeouts(String... options) throws IOException {
    return start(origin.port(), true, options);
  }

  /** Starts a proxy with the timeouts of the page. */
  private Protected withDocumentedTimeouts() throws IOException {
    return start(origin.port(), false);
  }

  private Protected start(int originPort, boolean longTimeouts, String... options)
      throws IOException {
    Path own = Files.createTempDirectory(folder, program());
    PenstockProcess penstock =
        PenstockProcess.start(own, PenstockProcess.policy("limits.yaml"), options);
    try {
      int port = Ports.free();
      Site site = new Site(own, port, penstock, originPort, longTimeouts);
      Running proxy = start(Program.onPath(program()), site).listening(port);
      return new Protected(penstock, proxy, port);
    } catch (IOException | RuntimeException | AssertionError e) {
      penstock.close();
      throw e;
    }
  }

  @Test
  void requests_upToTheBurst_passWithHeaders() {
    Client client = shared.newClient();

    for (int left = BURST - 1; left >= 0; left--) {
      Reply reply = client.get("/upto");
      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.header("RateLimit-Limit")).isEqualTo("3");
      assertThat(reply.header("RateLimit-Remaining")).isEqualTo("" + left);
      assertThat(reply.header("RateLimit-Policy")).isEqualTo("\"client\";q=3;w=259200");
      assertThat(RATE_LIMIT_HEADERS).noneMatch(name -> reply.header(name).isEmpty());
      assertThat(reply.header("Retry-After") + reply.header("X-Penstock-Reason")).isEmpty();
    }
    assertThat(origin.seen("/upto")).hasSize(BURST);
  }

  @Test
  void requests_overTheBurst_areDeniedAndDontReachTheOrigin() {
    Client client = shared.newClient();
    exhaust(client);

    Reply reply = client.get("/over");

    assertThat(reply.status()).isEqualTo(429);
    assertThat(reply.header("Retry-After")).matches("[1-9][0-9]{4,5}");
    assertThat(reply.header("X-Penstock-Reason")).isEqualTo("token_bucket_exceeded");
    assertThat(reply.header("RateLimit-Remaining")).isEqualTo("0");
    assertThat(RATE_LIMIT_HEADERS).noneMatch(name -> reply.header(name).isEmpty());
    assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(reply.body()).contains("#quota-exceeded\"", "\"status\":429");
    assertThat(origin.seen("/over")).isEmpty();
  }

  @Test
  void clients_areDistinguishedByAddress() {
    Client client = shared.newClient();
    exhaust(client);

    assertThat(shared.newClient().get("/other").status()).isEqualTo(200);
    assertThat(client.get("/other").status()).isEqualTo(429);
  }

  @Test
  void clients_thatForgeHeaders_areStillDenied() {
    Client client = shared.newClient();
    exhaust(client);

    for (String forged :
        List.of(
            "X-Forwarded-For: 198.51.100.7",
            "X-Forwarded-For: 198.51.100.7, 127.0.0.1",
            "X-Real-IP: 198.51.100.7",
            "Forwarded: for=198.51.100.7",
            "X-Original-URI: /elsewhere",
            "X-Penstock-Reason: none")) {
      assertThat(client.get("/forged", forged).status()).as(forged).isEqualTo(429);
    }
    assertThat(client.get("/forged?deny_status=200").status()).isEqualTo(429);
    assertThat(client.get("/forged?deny_status=503").status()).isEqualTo(429);
    assertThat(origin.seen("/forged")).isEmpty();
  }

  @Test
  void rules_withMethodPathAndHost_applyOnlyToMatchingRequests() {
    String[] forged = {
      "X-Original-Method: GET",
      "X-Original-URI: /nowhere",
      "X-Original-Host: nowhere.example",
      "X-Forwarded-Method: GET",
      "X-Forwarded-Uri: /nowhere",
      "X-Forwarded-Host: nowhere.example",
      "Host: shop.example"
    };
    assertThat(policies("PUT", "/orders/7?a=b&c=%20", "Host: shop.example")).contains("orders");
    assertThat(policies("PUT", "/orders/7", forged)).contains("orders");
    assertThat(policies("PUT", "//orders/./x/../%37", "Host: shop.example")).contains("orders");
    assertThat(policies("GET", "/orders/7", "Host: shop.example")).doesNotContain("orders");
    assertThat(policies("PUT", "/items/7", "Host: shop.example")).doesNotContain("orders");
    assertThat(policies("PUT", "/orders/7", "Host: blog.example")).doesNotContain("orders");

    assertThat(origin.seen("/orders/7?"))
        .singleElement()
        .satisfies(
            seen -> {
              assertThat(seen.method()).isEqualTo("PUT");
              assertThat(seen.target()).isEqualTo("/orders/7?a=b&c=%20");
            });
  }

  /** Sends a request from a new client and returns the rules that Penstock applied. */
  private String policies(String method, String target, String... headers) {
    Reply reply = shared.newClient().send(method, target, "{}".getBytes(ISO_8859_1), headers);
    assertThat(reply.status()).isEqualTo(200);
    return reply.header("RateLimit-Policy");
  }

  @Test
  void bodies_reachTheOriginUntouched() {
    byte[] body = new byte[LARGE_BODY_BYTES];
    new Random(42).nextBytes(body);
    Client client = shared.newClient();

    assertThat(client.send("POST", "/body", body).status()).isEqualTo(200);
    assertThat(client.sendChunked("POST", "/body", body).status()).isEqualTo(200);

    assertThat(origin.seen("/body"))
        .hasSize(2)
        .allSatisfy(seen -> assertThat(seen.body()).isEqualTo(new String(body, ISO_8859_1)));
  }

  @Test
  void webSocketsAndEvents_arePassedOnWithoutDelay() throws IOException {
    try (StreamingOrigin streams = new StreamingOrigin();
        Protected streaming = start(streams.port(), true)) {
      try (Socket socket = streaming.newClient().connect()) {
        String head = open(socket, "Connection: Upgrade\r\nUpgrade: websocket\r\n" + WEB_SOCKET);
        assertThat(head).startsWith("HTTP/1.1 101 ");
        socket.getOutputStream().write("hello".getBytes(ISO_8859_1));
        assertThat(socket.getInputStream().readNBytes(5)).asString().isEqualTo("hello");
      }
      try (Socket socket = streaming.newClient().connect()) {
        String head = open(socket, "Accept: text/event-stream\r\n");
        assertThat(head).startsWith("HTTP/1.1 200 ").contains("text/event-stream");
        for (String event : List.of("one", "two")) {
          streams.send(event);
          assertThat(lineWithData(socket)).isEqualTo("data: " + event);
        }
      }
    }
  }

  /** Returns the next line of an event stream that isn't empty or the size of a chunk. */
  private static String lineWithData(Socket socket) throws IOException {
    String line;
    do {
      line = StreamingOrigin.line(socket.getInputStream());
    } while (!line.startsWith("data:"));
    return line;
  }

  /** Sends the head of a request and returns that of the response. */
  private static String open(Socket socket, String headers) throws IOException {
    String head = "GET /stream HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
    socket.getOutputStream().write(head.getBytes(ISO_8859_1));
    StringBuilder response = new StringBuilder();
    String line;
    do {
      line = StreamingOrigin.line(socket.getInputStream());
      response.append(line).append('\n');
    } while (!line.isEmpty());
    return response.toString();
  }

  @Test
  void errors_ofTheOrigin_arePassedOn() {
    Reply reply = shared.newClient().get("/forbidden");

    assertThat(reply.status()).isEqualTo(403);
    assertThat(reply.header("RateLimit-Remaining")).isEqualTo("2");
    assertThat(reply.header("Retry-After")).isEmpty();
    assertThat(origin.seen("/forbidden")).hasSize(1);
  }

  @Test
  void requests_thatPenstockRejects_neitherPassNorResetLimits() {
    Client client = shared.newClient();
    exhaust(client);
    String longUri = "/long" + "u".repeat(6_500);

    for (int kilobytes = 1; kilobytes < 64; kilobytes += kilobytes < 20 ? 1 : 10) {
      // No single header is too long, because some proxies limit each header.
      String[] headers = new String[kilobytes];
      Arrays.setAll(headers, i -> "X-Long-" + i + ": " + "a".repeat(1_000));
      assertThat(isRejected(client, "/long", headers)).as("%d kB", kilobytes).isTrue();
      assertThat(isRejected(client, longUri, headers)).as("%d kB and URI", kilobytes).isTrue();
      assertThat(client.get("/long").status()).isEqualTo(429);
    }
    assertThat(origin.seen("/long")).isEmpty();
  }

  private static boolean isRejected(Client client, String target, String... headers) {
    try {
      return client.get(target, headers).status() >= 400;
    } catch (UncheckedIOException cutOff) {
      return true;
    }
  }

  @Test
  void rulesThatFailClosed_storeUnavailable_denyWith503() throws IOException {
    String unreachable = "redis://127.0.0.1:" + Ports.free();
    try (Protected degraded = withLongTimeouts("--redis", unreachable)) {
      for (int i = 0; i < MORE_THAN_MAX_FAILS; i++) {
        Reply reply = degraded.newClient().get("/vault");
        assertThat(reply.status()).isEqualTo(503);
        assertThat(reply.header("X-Penstock-Reason")).isEqualTo("store_unavailable");
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.header("Penstock-Degraded")).isEqualTo("store_unavailable");
        assertThat(reply.body()).contains("#temporary-reduced-capacity\"", "\"status\":503");
      }
      assertThat(origin.seen("/vault")).isEmpty();
      Reply local = degraded.newClient().get("/open");
      assertThat(local.status()).isEqualTo(200);
      assertThat(local.header("Penstock-Degraded")).isEqualTo("store_unavailable");
      assertThat(shared.newClient().get("/open").header("Penstock-Degraded")).isEmpty();
    }
  }

  @Test
  void requests_beyondMaxDelayed_areDeniedAndOtherLimitsStillApply() throws IOException {
    try (Protected delaying = withLongTimeouts("--max-delayed", "0")) {
      Client exhausted = delaying.newClient();
      exhaust(exhausted);
      assertThat(delaying.newClient().get("/queue").status()).isEqualTo(200);

      for (int i = 0; i < MORE_THAN_MAX_FAILS; i++) {
        Reply reply = delaying.newClient().get("/queue");
        assertThat(reply.status()).isEqualTo(429);
        assertThat(reply.header("X-Penstock-Reason")).isEqualTo("token_bucket_exceeded");
        assertThat(reply.header("Retry-After")).matches("[1-9][0-9]+");
        assertThat(exhausted.get("/").status()).isEqualTo(429);
      }
      assertThat(origin.seen("/queue")).hasSize(1);
    }
  }

  @Test
  void paths_thatAreRejected_get400() {
    Reply reply = shared.newClient().get("/rejected%2Fpath");

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.header("X-Penstock-Reason")).isEqualTo("path_rejected");
    assertThat(reply.header("Retry-After")).isEmpty();
    assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(reply.body()).contains("\"title\":\"Bad Request\"", "\"status\":400");
    assertThat(origin.seen("/rejected")).isEmpty();
  }

  @Test
  void penstock_isKilled_requestsPassUntilItIsBack() throws IOException {
    try (Protected mortal = withDocumentedTimeouts()) {
      Client client = mortal.newClient();
      limitsApply(client);

      mortal.penstock().kill();
      passes(client, "/killed");
      mortal.penstock().restart();

      limitsApply(client);
    }
  }

  @Test
  void penstock_hangs_requestsPassUntilItIsBack() throws IOException {
    try (Protected mortal = withDocumentedTimeouts()) {
      Client client = mortal.newClient();
      limitsApply(client);

      mortal.penstock().freeze();
      passes(client, "/hung");
      mortal.penstock().thaw();

      limitsApply(client);
    }
  }

  private static void limitsApply(Client client) {
    await("429").until(() -> client.get("/").status() == 429);
  }

  /** Checks that a client that was denied now passes. The client's timeout bounds the wait. */
  private void passes(Client client, String path) {
    byte[] body = "hello".getBytes(ISO_8859_1);
    for (int i = 0; i < 5; i++) {
      long start = System.nanoTime();
      Reply reply = i % 2 == 0 ? client.send("POST", path, body) : client.get(path);
      System.out.printf("%s %s: %d ms%n", program(), path, (System.nanoTime() - start) / 1_000_000);
      assertThat(reply.status()).isEqualTo(200);
      assertThat(RATE_LIMIT_HEADERS).allMatch(name -> reply.header(name).isEmpty());
    }
    assertThat(origin.seen(path)).hasSize(5);
    assertThat(origin.seen(path).get(0).body()).isEqualTo("hello");
  }

  private static void exhaust(Client client) {
    for (int i = 0; i < BURST; i++) {
      assertThat(client.get("/").status()).isEqualTo(200);
    }
  }
}
