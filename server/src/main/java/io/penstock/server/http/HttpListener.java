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
public final class HttpListener {
  private static final AtomicInteger FREE_PORTS = new AtomicInteger();

  private final Connections connections;
  private final HttpServerOptions options;
  private final Handler<HttpServerRequest> handler;
  private final FailedRequests failures;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

  private HttpListener(
      ListenerAddress listener, Handler<HttpServerRequest> handler, FailedRequests failures) {
    this.connections = listener.connections;
    this.options = new HttpServerOptions(listener.options);
    if (options.getPort() == 0) {
      // To Vert.x, 0 is a free port for each worker; what is negative is one for all who say it.
      this.options.setPort(FREE_PORTS.decrementAndGet());
    }
    this.handler = failures.known(handler);
    this.failures = failures;
  }

  /**
   * Where and how a listener takes connections.
   *
   * @param transport that of its Vert.x
   * @param workers how many threads serve it
   */
  public record ListenerAddress(
      GuardedTransport transport,
      Connections connections,
      HttpServerOptions options,
      int workers) {}

  /**
   * Opens a door.
   *
   * @param handler called by all workers at the same time
   * @param failures answers requests for which the handler, or what follows from it, throws
   */
  public static Future<HttpListener> open(
      Vertx vertx,
      ListenerAddress listener,
      Handler<HttpServerRequest> handler,
      FailedRequests failures) {
    HttpListener door = new HttpListener(listener, handler, failures);
    listener.transport.guard(door.options, listener.connections);
    return open(vertx, door, listener.workers);
  }

  private static Future<HttpListener> open(Vertx vertx, HttpListener door, int workers) {
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

  /** Connections that there are, and those that come until the port is closed. */
  public Connections connections() {
    return connections;
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
      context.exceptionHandler(failures::uncaught);
      HttpServer server = vertx.createHttpServer(options);
      server
          .requestHandler(handler)
          .invalidRequestHandler(MalformedRequests::answer)
          .connectionHandler(connection -> ConnectionGuard.attach(connection, options, failures));
      return server.listen().onSuccess(servers::add);
    }
  }
}
