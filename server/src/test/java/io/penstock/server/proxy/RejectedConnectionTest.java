package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import io.penstock.server.SettingsReader;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections on which a request was rejected are forgotten when they are closed. */
class RejectedConnectionTest {
  private final Vertx vertx = Vertx.vertx();
  private final Queue<WeakReference<HttpConnection>> connections = new ConcurrentLinkedQueue<>();

  @AfterEach
  void stop() {
    vertx.close().await();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reject_connectionIsClosedThenOrBefore_isForgotten(boolean before) throws Exception {
    Upstream upstream =
        SettingsReader.read(Map.of(Setting.UPSTREAM, "http://localhost:1"), Map.of(), null)
            .upstream()
            .orElseThrow();
    // A request that is rejected at once needs no gate.
    ProxyListener proxy = new ProxyListener(vertx, null, upstream, 1, null);
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(request -> handle(proxy, request, before))
            .listen(0, "127.0.0.1")
            .await();
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
      client
          .getOutputStream()
          .write("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n".getBytes(US_ASCII));
      assertThat(RunningServer.rest(client)).startsWith(before ? "" : "HTTP/1.1 405 ");
    }
    await().until(() -> !connections.isEmpty());
    await("the connection is garbage").until(this::isForgotten);
    assertThat(proxy.inFlight()).isZero();
  }

  private void handle(ProxyListener proxy, HttpServerRequest request, boolean closeBefore) {
    HttpConnection connection = request.connection();
    connections.add(new WeakReference<>(connection));
    if (closeBefore) {
      connection.closeHandler(closed -> vertx.runOnContext(then -> proxy.handle(request)));
      var unused = connection.close();
    } else {
      proxy.handle(request);
    }
  }

  private boolean isForgotten() {
    System.gc();
    return connections.stream().allMatch(connection -> connection.refersTo(null));
  }
}
