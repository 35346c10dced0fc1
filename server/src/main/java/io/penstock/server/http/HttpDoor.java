package io.penstock.server.http;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A port that some workers serve together, each with connections of its own. Thread-safe. */
public final class HttpDoor {
  private static final AtomicInteger FREE_PORTS = new AtomicInteger();

  private final HttpServerOptions options;
  private final Handler<HttpServerRequest> handler;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

  private HttpDoor(HttpServerOptions options, Handler<HttpServerRequest> handler) {
    this.options = new HttpServerOptions(options);
    if (options.getPort() == 0) {
      // To Vert.x, 0 is a free port for each worker; what is negative is one for all who say it.
      this.options.setPort(FREE_PORTS.decrementAndGet());
    }
    this.handler = handler;
  }

  /**
   * Where and how a listener takes connections.
   *
   * @param transport that of its Vert.x
   * @param workers how many threads serve it
   */
  public record Listener(
      GuardedTransport transport,
      Connections connections,
      HttpServerOptions options,
      int workers) {}

  /**
   * Opens a door.
   *
   * @param handler called by all workers at the same time
   */
  public static Future<HttpDoor> open(
      Vertx vertx, Listener listener, Handler<HttpServerRequest> handler) {
    HttpDoor door = new HttpDoor(listener.options, handler);
    listener.transport.guard(door.options, listener.connections);
    return open(vertx, door, listener.workers);
  }

  private static Future<HttpDoor> open(Vertx vertx, HttpDoor door, int workers) {
    DeploymentOptions deployment = new DeploymentOptions().setInstances(workers);
    return vertx.deployVerticle(() -> door.new Worker(), deployment).map(door);
  }

  /** The port it listens on. */
  public int port() {
    return servers.get(0).actualPort();
  }

  /** From now on, connections that begin are made by these. */
  public Future<?> updateTls(ServerSSLOptions tls) {
    // All servers of a port share what the first of them has.
    return servers.get(0).updateSSLOptions(tls, true);
  }

  /** Lets nobody in any more, and waits for those who are, but no longer than {@code most}. */
  public Future<Void> close(Duration most) {
    return Future.join(
            servers.stream()
                .map(server -> server.shutdown(most.toMillis(), TimeUnit.MILLISECONDS))
                .toList())
        .mapEmpty();
  }

  /** One of the threads that serve. */
  private final class Worker extends VerticleBase {
    @Override
    public Future<?> start() {
      HttpServer server = vertx.createHttpServer(options);
      server
          .requestHandler(handler)
          .invalidRequestHandler(MalformedRequests::answer)
          .connectionHandler(connection -> ConnectionGuard.attach(connection, options));
      return server.listen().onSuccess(servers::add);
    }
  }
}
