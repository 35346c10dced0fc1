package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** HTTP/2 requests: a rejected one does not affect the others of its connection. */
final class StreamsTest {
  private final Vertx vertx = Vertx.vertx();
  private final RunningServer server =
      RunningServer.with(Map.of(Setting.REQUEST_TIMEOUT_MS, "3000"));
  private final AtomicInteger connections = new AtomicInteger();

  @AfterEach
  void close() {
    vertx.close().await();
    server.close();
  }

  @Test
  void tooLargeBody_is413AndTheConnectionStays() {
    HttpClientAgent client = client();
    HttpClientRequest large = ask(client);
    large.putHeader("Content-Length", "1000000").write(Buffer.buffer("{")).await();
    assertThat(large.response().await().statusCode()).isEqualTo(413);
    assertThat(check(client)).isEqualTo(200);
    assertThat(connections).hasValue(1);
  }

  @Test
  void slowBody_is408AndTheConnectionStays() {
    HttpClientAgent client = client();
    HttpClientRequest slow = ask(client);
    slow.setChunked(true).write(Buffer.buffer("{")).await();
    assertThat(slow.response().await().statusCode()).isEqualTo(408);
    assertThat(check(client)).isEqualTo(200);
    assertThat(connections).hasValue(1);
  }

  private HttpClientAgent client() {
    return vertx
        .httpClientBuilder()
        .with(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false)
                .setDefaultHost("127.0.0.1")
                .setDefaultPort(server.server().port()))
        .with(new PoolOptions().setHttp2MaxSize(1))
        .withConnectHandler(connected -> connections.incrementAndGet())
        .build();
  }

  private static HttpClientRequest ask(HttpClientAgent client) {
    return client.request(HttpMethod.POST, "/v1/check").await();
  }

  private static int check(HttpClientAgent client) {
    HttpClientResponse answer = ask(client).send("{}").await();
    return answer.statusCode();
  }
}
