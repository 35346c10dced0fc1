package io.penstock.server.proxy;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicInteger;

/** An origin for the proxy, which counts the requests that reach it. */
public final class TestOrigin implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final AtomicInteger reached = new AtomicInteger();
  private final HttpServer server;

  public TestOrigin(Handler<HttpServerRequest> handler) {
    this(new HttpServerOptions(), handler);
  }

  public TestOrigin(HttpServerOptions options, Handler<HttpServerRequest> handler) {
    this.server =
        vertx
            .createHttpServer(options)
            .requestHandler(
                request -> {
                  reached.incrementAndGet();
                  handler.handle(request);
                })
            .listen(0, "127.0.0.1")
            .await();
  }

  public Vertx vertx() {
    return vertx;
  }

  public int reached() {
    return reached.get();
  }

  public String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  @Override
  public void close() {
    vertx.close().await();
  }
}
