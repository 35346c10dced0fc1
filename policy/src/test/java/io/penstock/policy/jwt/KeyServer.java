package io.penstock.policy.jwt;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A local server of an issuer that returns a key set, or fails. */
final class KeyServer implements AutoCloseable {
  private final HttpServer server;
  private final AtomicInteger requests = new AtomicInteger();
  private volatile int status = 200;
  private volatile String body;
  private volatile CountDownLatch gate = new CountDownLatch(0);

  KeyServer(String body) throws IOException {
    this.body = body;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/keys", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Location", "/keys");
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.flush();
      gate.await();
      out.write(bytes);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  KeySource.JwksUrl source(Duration refresh) {
    String host = server.getAddress().getAddress().getHostAddress();
    return new KeySource.JwksUrl(
        URI.create("http://" + host + ":" + server.getAddress().getPort() + "/keys"), refresh);
  }

  void serve(String next) {
    body = next;
  }

  void answerWith(int next) {
    status = next;
  }

  /** Delays response bodies until the latch is open. */
  void holdUntil(CountDownLatch latch) {
    gate = latch;
  }

  int requests() {
    return requests.get();
  }

  @Override
  public void close() {
    gate.countDown();
    server.stop(0);
  }
}
