package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProxyTest {
  private static final String TWO =
      """
      rules:
        - name: two
          limit_keys: ["ip:address"]
          match: {path: /api/*}
          rate: 1/h
          burst: 2
      """;
  private static final String CLOSING = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n";
  private static final String TRUSTING =
      """
      client_address:
        trusted_proxies: [127.0.0.0/8]
      """;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @TempDir private Path folder;

  @Test
  void allowed_streamsThroughWithLimits_deniedNeverReachesTheOrigin() throws Exception {
    try (TestOrigin origin = new TestOrigin(ProxyTest::echo);
        ProxyFixture proxy = new ProxyFixture(folder, TWO, origin.url())) {
      HttpResponse<String> first = get(proxy, "/api/a?b=c");
      assertThat(first.statusCode()).isEqualTo(201);
      assertThat(first.body()).startsWith("GET /api/a?b=c HTTP_1_1");
      assertThat(first.headers().firstValue("RateLimit-Remaining")).hasValue("1");
      assertThat(first.headers().firstValue("X-Origin")).hasValue("yes");
      get(proxy, "/api/a");
      HttpResponse<String> denied = get(proxy, "//api/./a");
      assertThat(denied.statusCode()).isEqualTo(429);
      assertThat(denied.headers().firstValue("Retry-After")).isPresent();
      assertThat(denied.body()).contains("quota-exceeded");
      assertThat(origin.reached()).isEqualTo(2);
      assertThat(get(proxy, "/other").statusCode()).isEqualTo(201);
    }
  }

  @Test
  void rejectedPath_isAnsweredWithTheReason() throws Exception {
    try (TestOrigin origin = new TestOrigin(ProxyTest::echo);
        ProxyFixture proxy = new ProxyFixture(folder, TWO, origin.url())) {
      HttpResponse<String> rejected = get(proxy, "/%2Fapi/a");
      assertThat(rejected.statusCode()).isEqualTo(400);
      assertThat(rejected.headers().firstValue("X-Penstock-Reason")).hasValue("path_rejected");
      assertThat(rejected.body()).contains("path_rejected", "encoded slash");
      assertThat(origin.reached()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/a%0A", "/api%0d%0a/a", "/%09api/a", "/api/a%1F", "/api/a%7f"})
  void encodedControlCharacterInThePath_isRejected(String path) throws Exception {
    try (TestOrigin origin = new TestOrigin(ProxyTest::echo);
        ProxyFixture proxy = new ProxyFixture(folder, TWO, origin.url())) {
      HttpResponse<String> rejected = get(proxy, path);
      assertThat(rejected.statusCode()).isEqualTo(400);
      assertThat(rejected.headers().firstValue("X-Penstock-Reason")).hasValue("path_rejected");
      assertThat(origin.reached()).isZero();
      assertThat(get(proxy, "/other?x=%0A").statusCode()).isEqualTo(201);
    }
  }

  @Test
  void deniedUpload_isAnsweredAndTheConnectionStaysUsable() throws Exception {
    try (TestOrigin origin = new TestOrigin(ProxyTest::echo);
        ProxyFixture proxy = new ProxyFixture(folder, TWO, origin.url());
        Socket socket = proxy.connect()) {
      String post = "POST /api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < 3; i++) {
        socket.getOutputStream().write(post.getBytes(ISO_8859_1));
        all.append(response(socket.getInputStream()));
      }
      assertThat(all.toString()).containsSubsequence("201", "201", "429");
      socket.getOutputStream().write("GET /free HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(ISO_8859_1));
      assertThat(response(socket.getInputStream())).startsWith("HTTP/1.1 201");
    }
  }

  @Test
  void request_headersBodyAndPath_areForwarded() throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    String policy = "paths: {encoded_slashes: keep}\n" + ProxyFixture.UNLIMITED;
    try (TestOrigin origin = new TestOrigin(request -> record(request, seen));
        ProxyFixture proxy = new ProxyFixture(folder, policy, origin.url())) {
      String answer =
          proxy.raw(
              "POST /a/%2e%2e/b%2fc?q=%2e HTTP/1.1\r\nHost: shop.example\r\nConnection: close,"
                  + " X-Secret\r\nX-Secret: 1\r\nKeep-Alive: 5\r\nProxy-Authorization: x\r\n"
                  + "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\nX-Real-IP: 1.2.3.4\r\n"
                  + "X-Request-Id: abc\r\nTransfer-Encoding: chunked\r\n\r\n"
                  + "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n");
      assertThat(answer).startsWith("HTTP/1.1 200").contains("via: 1.1 penstock");
      assertThat(seen.join())
          .startsWith("POST /b%2Fc?q=%2e\n")
          .contains("\nhost: shop.example\n")
          .contains("\nx-forwarded-for: 127.0.0.1\n")
          .contains("\nx-forwarded-proto: http\n")
          .contains("\nx-forwarded-host: shop.example\n")
          .contains("\nx-real-ip: 127.0.0.1\n")
          .contains("\nx-request-id: abc\n")
          .contains("\nvia: 1.1 penstock\n")
          .endsWith("hello world")
          .doesNotContain("x-secret", "keep-alive", "proxy-authorization", "1.2.3.4");
    }
  }

  @Test
  void trustedProxy_itsListIsExtended() throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    String policy = TRUSTING + ProxyFixture.UNLIMITED;
    try (TestOrigin origin = new TestOrigin(request -> record(request, seen));
        ProxyFixture proxy = new ProxyFixture(folder, policy, origin.url())) {
      String forwarded = "X-Forwarded-For: 198.51.100.9\r\nX-Forwarded-Proto: https\r\n\r\n";
      proxy.raw(CLOSING + forwarded);
      assertThat(seen.join())
          .contains("\nx-forwarded-for: 198.51.100.9, 127.0.0.1\n")
          .contains("\nx-forwarded-proto: https\n")
          .contains("\nx-real-ip: 198.51.100.9\n");
    }
  }

  @Test
  void upstreamHost_own_replacesTheClientsHost() throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    try (TestOrigin origin = new TestOrigin(request -> record(request, seen));
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(Setting.UPSTREAM_HOST, "own"))) {
      proxy.raw("GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n");
      assertThat(seen.join())
          .contains("\nhost: " + origin.url().substring("http://".length()) + "\n")
          .contains("\nx-forwarded-host: shop.example\n");
    }
  }

  @Test
  void head_hasLengthAndNoBody() throws Exception {
    try (TestOrigin origin =
            new TestOrigin(request -> request.response().putHeader("Content-Length", "9").end());
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      String answer = proxy.raw("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(answer).containsIgnoringCase("content-length: 9").endsWith("\r\n\r\n");
    }
  }

  @Test
  void trailers_ofTheResponse_areForwarded() throws Exception {
    try (TestOrigin origin =
            new TestOrigin(
                request -> {
                  request.response().setChunked(true).putTrailer("X-Sum", "42");
                  request.response().end("body");
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      String answer = proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(answer).contains("4\r\nbody\r\n0\r\nX-Sum: 42\r\n");
    }
  }

  @Test
  void expectContinue_isAnsweredByTheOrigin() throws Exception {
    try (TestOrigin origin =
            new TestOrigin(
                request -> {
                  if (request.path().equals("/no")) {
                    request.response().setStatusCode(417).end();
                  } else {
                    request.response().writeContinue();
                    request.body().onSuccess(body -> request.response().end(body));
                  }
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      String head = " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
      try (Socket socket = proxy.connect()) {
        socket.getOutputStream().write(("POST /yes" + head).getBytes(ISO_8859_1));
        assertThat(response(socket.getInputStream())).startsWith("HTTP/1.1 100");
        socket.getOutputStream().write("hi".getBytes(ISO_8859_1));
        assertThat(response(socket.getInputStream())).startsWith("HTTP/1.1 200").endsWith("hi");
      }
      try (Socket socket = proxy.connect()) {
        socket.getOutputStream().write(("POST /no" + head).getBytes(ISO_8859_1));
        assertThat(response(socket.getInputStream())).startsWith("HTTP/1.1 417");
      }
    }
  }

  @Test
  void serverSentEvents_arriveOneByOne() throws Exception {
    CompletableFuture<HttpServerRequest> asked = new CompletableFuture<>();
    try (TestOrigin origin =
            new TestOrigin(
                request -> {
                  request
                      .response()
                      .setChunked(true)
                      .putHeader("Content-Type", "text/event-stream");
                  request.response().write("data: 1\n\n");
                  asked.complete(request);
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      HttpResponse<InputStream> answer =
          CLIENT.send(proxy.request("/").build(), HttpResponse.BodyHandlers.ofInputStream());
      InputStream events = answer.body();
      assertThat(new String(events.readNBytes(9), ISO_8859_1)).isEqualTo("data: 1\n\n");
      origin.vertx().runOnContext(go -> asked.join().response().write("data: 2\n\n"));
      assertThat(new String(events.readNBytes(9), ISO_8859_1)).isEqualTo("data: 2\n\n");
      origin.vertx().runOnContext(go -> asked.join().response().end());
      assertThat(events.read()).isEqualTo(-1);
    }
  }

  @Test
  void webSocket_isTunnelled() throws Exception {
    try (TestOrigin origin =
            new TestOrigin(
                request ->
                    request
                        .toWebSocket()
                        .onSuccess(
                            socket ->
                                socket.textMessageHandler(
                                    text -> socket.writeTextMessage("echo " + text))));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      CompletableFuture<String> heard = new CompletableFuture<>();
      java.net.http.WebSocket socket =
          CLIENT
              .newWebSocketBuilder()
              .buildAsync(
                  java.net.URI.create("ws://127.0.0.1:" + proxy.port() + "/chat"),
                  new java.net.http.WebSocket.Listener() {
                    @Override
                    public java.util.concurrent.@org.jspecify.annotations.Nullable CompletionStage<
                            ?>
                        onText(java.net.http.WebSocket from, CharSequence text, boolean last) {
                      heard.complete(text.toString());
                      return null;
                    }
                  })
              .join();
      socket.sendText("hello", true).join();
      assertThat(heard.get(10, java.util.concurrent.TimeUnit.SECONDS)).isEqualTo("echo hello");
      socket.abort();
    }
  }

  private static void echo(HttpServerRequest request) {
    request
        .body()
        .onSuccess(
            body ->
                request
                    .response()
                    .setStatusCode(201)
                    .putHeader("X-Origin", "yes")
                    .end(
                        Buffer.buffer(
                                request.method()
                                    + " "
                                    + request.uri()
                                    + " "
                                    + request.version()
                                    + "\n")
                            .appendBuffer(body)));
  }

  private static void record(HttpServerRequest request, CompletableFuture<String> seen) {
    StringBuilder text = new StringBuilder(request.method() + " " + request.uri() + "\n");
    request
        .headers()
        .forEach(
            (name, value) ->
                text.append(name.toLowerCase(java.util.Locale.ROOT))
                    .append(": ")
                    .append(value)
                    .append('\n'));
    request
        .body()
        .onSuccess(
            body -> {
              seen.complete(text.append('\n').append(body).toString());
              request.response().end("ok");
            });
  }

  private static HttpResponse<String> get(ProxyFixture proxy, String target) throws Exception {
    HttpRequest request = proxy.request(target).build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** Reads one response with a length, or a head without a body. */
  private static String response(InputStream in) throws Exception {
    StringBuilder text = new StringBuilder();
    while (text.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return text.toString();
      }
      text.append((char) next);
    }
    String lower = text.toString().toLowerCase(java.util.Locale.ROOT);
    int length = lower.indexOf("content-length: ");
    if (length >= 0) {
      int end = lower.indexOf('\r', length);
      int bytes = Integer.parseInt(lower.substring(length + 16, end).strip());
      text.append(new String(in.readNBytes(bytes), ISO_8859_1));
    }
    return text.toString();
  }
}
