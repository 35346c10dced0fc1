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

/** A port that is served by several workers, each with its own connections. Thread-safe. */
public final class HttpListener {
  private static final AtomicInteger FREE_PORTS = new AtomicInteger();

  private final GuardedListener guarded;
  private final Handler<HttpServerRequest> handler;
  private final FailedRequests failures;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

  private HttpListener(
      ListenerAddress listener,
      Handler<HttpServerRequest> handler,
      FailedRequests failures,
      UnhandledRequests unhandled) {
    HttpServerOptions options = new HttpServerOptions(listener.options);
    if (options.getPort() == 0) {
      // For Vert.x, 0 means a free port for each worker, and a negative number one shared by all
      // workers that use the same number.
      options.setPort(FREE_PORTS.decrementAndGet());
    }
    this.guarded = new GuardedListener(listener.connections, options, unhandled);
    this.handler = failures.tracked(handler);
    this.failures = failures;
  }

  /**
   * Where and how a listener accepts connections.
   *
   * @param transport the transport of its Vert.x
   * @param workers the number of threads that serve it
   */
  public record ListenerAddress(
      GuardedTransport transport,
      Connections connections,
      HttpServerOptions options,
      int workers) {}

  /**
   * Opens a listener.
   *
   * @param handler called concurrently by all workers
   * @param failures responds to requests whose handling throws
   */
  public static Future<HttpListener> open(
      Vertx vertx,
      ListenerAddress listener,
      Handler<HttpServerRequest> handler,
      FailedRequests failures) {
    return open(vertx, listener, handler, failures, UnhandledRequests.NONE);
  }

  /**
   * Opens a listener.
   *
   * @param handler called concurrently by all workers
   * @param failures responds to requests whose handling throws
   * @param unhandled records the responses to requests that don't reach the handler
   */
  public static Future<HttpListener> open(
      Vertx vertx,
      ListenerAddress listener,
      Handler<HttpServerRequest> handler,
      FailedRequests failures,
      UnhandledRequests unhandled) {
    HttpListener opened = new HttpListener(listener, handler, failures, unhandled);
    listener.transport.guard(opened.guarded);
    DeploymentOptions deployment = new DeploymentOptions().setInstances(listener.workers);
    return vertx.deployVerticle(() -> opened.new Worker(), deployment).map(opened);
  }

  /** Returns the port that the listener is bound to. */
  public int port() {
    return servers.get(0).actualPort();
  }

  /** Uses the given certificates for new connections. */
  public Future<?> updateTls(ServerSSLOptions tls) {
    // All servers of a port share the options of the first one.
    return servers.get(0).updateSSLOptions(tls, true);
  }

  /** Returns the connections of this listener. */
  public Connections connections() {
    return guarded.connections();
  }

  /**
   * Stops accepting connections, and waits for open ones until the timeout. Must not be called on
   * an event loop.
   */
  public Future<Void> close(Duration timeout) {
    connections().stopAccepting();
    return Future.join(
            servers.stream()
                .map(server -> server.shutdown(timeout.toMillis(), TimeUnit.MILLISECONDS))
                .toList())
        .mapEmpty();
  }

  /** One of the threads that serve the port. */
  private final class Worker extends VerticleBase {
    @Override
    public Future<?> start() {
      failures.attach(context);
      HttpServer server = vertx.createHttpServer(guarded.options());
      server
          .requestHandler(handler)
          .invalidRequestHandler(
              request -> MalformedRequests.respond(request, handler, guarded.unhandled()))
          .connectionHandler(connection -> ConnectionGuard.attach(connection, failures));
      return server.listen().onSuccess(servers::add);
    }
  }
}
