package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.net.PemKeyCertOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTP/2 from clients and to origins: faults of one stream don't affect others. */
final class ProxyHttp2Test {
  private static final String ONE_UPLOAD =
      """
      rules:
        - {name: uploads, limit_keys: [], match: {path: /upload}, rate: 1/h, burst: 1}
      """;
  private static final Map<Setting, String> HTTP2_ORIGIN = Map.of(Setting.UPSTREAM_HTTP2, "true");

  @TempDir private Path folder;
  private final Vertx vertx = Vertx.vertx();

  /** Keeps clients reachable, because Vert.x closes those that are garbage collected. */
  private final List<HttpClientAgent> clients = new ArrayList<>();

  private final AtomicInteger connections = new AtomicInteger();

  @AfterEach
  void end() {
    vertx.close().await();
  }

  @Test
  void tlsWithAlpn_usesHttp2AndInformsTheOrigin() throws Exception {
    TestCertificate certificate = new TestCertificate(folder);
    try (TestOrigin origin = new TestOrigin(ProxyHttp2Test::describe);
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(
                    Setting.PROXY_TLS_CERT,
                    certificate.certificateFile().toString(),
                    Setting.PROXY_TLS_KEY,
                    certificate.keyFile().toString()))) {
      for (HttpClient.Version version : HttpClient.Version.values()) {
        HttpClient client =
            HttpClient.newBuilder().sslContext(certificate.trusting()).version(version).build();
        HttpResponse<String> answer =
            client.send(
                HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + proxy.port() + "/a"))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.version()).isEqualTo(version);
        assertThat(answer.body())
            .startsWith("GET /a HTTP_1_1 https 127.0.0.1:" + proxy.port())
            .endsWith(
                version == HttpClient.Version.HTTP_2 ? "null 2 penstock" : "null 1.1 penstock");
      }
    }
  }

  @Test
  void clearText_byUpgradeAndByPriorKnowledge_usesHttp2() throws Exception {
    try (TestOrigin origin = new TestOrigin(ProxyHttp2Test::describe);
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      HttpResponse<String> upgraded =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + proxy.port() + "/a"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
      assertThat(upgraded.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(upgraded.body()).startsWith("GET /a HTTP_1_1 http ").endsWith("null 2 penstock");

      HttpClientResponse known = sendAndKeepBody(get(client(proxy), "/b")).await();
      assertThat(known.version()).isEqualTo(HttpVersion.HTTP_2);
      assertThat(known.body().await().toString()).startsWith("GET /b HTTP_1_1 http ");
    }
  }

  @Test
  void origin_overHttp2_bodiesAndTrailersAreForwarded() {
    try (TestOrigin origin =
            new TestOrigin(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              request.response().putTrailer("x-sum", "42");
                              request.response().end(request.version() + " " + body);
                            }));
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), HTTP2_ORIGIN)) {
      HttpClientResponse answer =
          sendAndKeepBody(
                  client(proxy)
                      .request(HttpMethod.POST, "/a")
                      .compose(request -> request.setChunked(true).send("hello")))
              .await();
      assertThat(answer.body().await().toString()).isEqualTo("HTTP_2 hello");
      MultiMap trailers = answer.trailers();
      assertThat(trailers.get("x-sum")).isEqualTo("42");
    }
  }

  @Test
  void origin_byTlsAndAlpn_isTrustedByItsCertificate() throws Exception {
    TestCertificate certificate = new TestCertificate(folder);
    HttpServerOptions options =
        new HttpServerOptions()
            .setSsl(true)
            .setUseAlpn(true)
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .addCertPath(certificate.certificateFile().toString())
                    .addKeyPath(certificate.keyFile().toString()));
    try (TestOrigin origin = new TestOrigin(options, ProxyHttp2Test::describe)) {
      String url = origin.url().replace("http:", "https:");
      try (ProxyFixture proxy =
          new ProxyFixture(
              folder,
              ProxyFixture.UNLIMITED,
              url,
              Map.of(
                  Setting.UPSTREAM_HTTP2,
                  "true",
                  Setting.UPSTREAM_CA,
                  certificate.certificateFile().toString()))) {
        assertThat(proxy.raw("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
            .startsWith("HTTP/1.1 200")
            .contains("GET /a HTTP_2 http a null 1.1 penstock");
      }
      try (ProxyFixture distrusting =
          new ProxyFixture(folder, ProxyFixture.UNLIMITED, url, HTTP2_ORIGIN)) {
        assertThat(distrusting.raw("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
            .startsWith("HTTP/1.1 502");
      }
    }
  }

  @Test
  void deniedUpload_isStopped_otherStreamsContinue() throws Exception {
    CompletableFuture<HttpServerRequest> slow = new CompletableFuture<>();
    try (TestOrigin origin = new TestOrigin(request -> answerOrHold(request, slow));
        ProxyFixture proxy = new ProxyFixture(folder, ONE_UPLOAD, origin.url())) {
      HttpClientAgent client = client(proxy);
      CompletableFuture<Buffer> held = body(get(client, "/slow"));
      slow.get();
      upload(client).response().await();

      HttpClientRequest denied = client.request(HttpMethod.POST, "/upload").await();
      CompletableFuture<Throwable> stopped = new CompletableFuture<>();
      denied.exceptionHandler(stopped::complete);
      beginBody(denied);
      HttpClientResponse answer = denied.response().await();
      assertThat(answer.statusCode()).isEqualTo(429);
      assertThat(answer.body().await().toString()).contains("quota-exceeded");
      assertThat(stopped.get(20, TimeUnit.SECONDS)).isInstanceOf(StreamResetException.class);

      origin.vertx().runOnContext(go -> slow.join().response().end("at last"));
      assertThat(held.get().toString()).isEqualTo("at last");
      assertThat(connections).hasValue(1);
    }
  }

  @Test
  void originAborts_onlyThatStreamIsReset() throws Exception {
    CompletableFuture<HttpServerRequest> slow = new CompletableFuture<>();
    try (TestOrigin origin =
            new TestOrigin(
                request -> {
                  if (request.path().equals("/broken")) {
                    request.response().setChunked(true).write("half");
                    request.connection().close();
                  } else {
                    answerOrHold(request, slow);
                  }
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      HttpClientAgent client = client(proxy);
      CompletableFuture<Buffer> held = body(get(client, "/slow"));
      slow.get();
      CompletableFuture<Buffer> broken = body(get(client, "/broken"));
      assertThat(broken)
          .failsWithin(java.time.Duration.ofSeconds(20))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(StreamResetException.class);

      origin.vertx().runOnContext(go -> slow.join().response().end("at last"));
      assertThat(held.get().toString()).isEqualTo("at last");
      assertThat(connections).hasValue(1);
    }
  }

  @Test
  void clientResets_theOriginIsResetAndOthersContinue() throws Exception {
    CompletableFuture<Void> reset = new CompletableFuture<>();
    try (TestOrigin origin =
            new TestOrigin(
                request -> {
                  if (request.path().equals("/slow")) {
                    request.response().closeHandler(reset::complete);
                  } else {
                    request.response().end("ok");
                  }
                });
        ProxyFixture proxy =
            new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url(), HTTP2_ORIGIN)) {
      HttpClientAgent client = client(proxy);
      HttpClientRequest slow = client.request(HttpMethod.GET, "/slow").await();
      var unused = slow.end();
      await().until(() -> origin.reached() == 1);
      slow.reset();
      reset.get();
      assertThat(get(client, "/").await().statusCode()).isEqualTo(200);
      assertThat(connections).hasValue(1);
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    }
  }

  private static void answerOrHold(
      HttpServerRequest request, CompletableFuture<HttpServerRequest> slow) {
    if (request.path().equals("/slow")) {
      slow.complete(request);
    } else {
      request.response().end("ok");
    }
  }

  /** Responds with a description of the request. */
  private static void describe(HttpServerRequest request) {
    request
        .response()
        .end(
            String.join(
                " ",
                request.method().name(),
                request.uri(),
                request.version().toString(),
                request.getHeader("x-forwarded-proto"),
                request.getHeader("x-forwarded-host"),
                String.valueOf(request.getHeader("transfer-encoding")),
                request.getHeader("via")));
  }

  /** Creates a client that uses HTTP/2 with prior knowledge, on one connection. */
  private HttpClientAgent client(ProxyFixture proxy) {
    HttpClientAgent client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false)
                    .setDefaultHost("127.0.0.1")
                    .setDefaultPort(proxy.port()))
            .with(new PoolOptions().setHttp2MaxSize(1))
            .withConnectHandler(connected -> connections.incrementAndGet())
            .build();
    clients.add(client);
    return client;
  }

  private static io.vertx.core.Future<HttpClientResponse> get(HttpClientAgent client, String uri) {
    return client.request(HttpMethod.GET, uri).compose(HttpClientRequest::send);
  }

  /**
   * Sends a request and keeps the body of its response, which would be lost if it was read later.
   */
  private static io.vertx.core.Future<HttpClientResponse> sendAndKeepBody(
      io.vertx.core.Future<HttpClientResponse> answer) {
    return answer.onSuccess(HttpClientResponse::body);
  }

  private static CompletableFuture<Buffer> body(io.vertx.core.Future<HttpClientResponse> answer) {
    return answer.compose(HttpClientResponse::body).toCompletionStage().toCompletableFuture();
  }

  private static HttpClientRequest upload(HttpClientAgent client) {
    HttpClientRequest request = client.request(HttpMethod.POST, "/upload").await();
    beginBody(request);
    return request;
  }

  /** Starts a body and does not end it. */
  private static void beginBody(HttpClientRequest request) {
    var unused = sendAndKeepBody(request.response());
    request.setChunked(true).write("begin").await();
  }
}
