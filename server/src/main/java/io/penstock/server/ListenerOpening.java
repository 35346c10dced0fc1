package io.penstock.server;

import io.penstock.server.http.Connections;
import io.penstock.server.http.GuardedTransport;
import io.penstock.server.http.HttpListener;
import io.penstock.server.http.UnhandledRequests;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Opens the listeners of the process, with the limits and meters that they share. */
final class ListenerOpening {
  private static final long MAX_START_SECONDS = 30;
  private static final int MAX_ADMIN_CONNECTIONS = 1_000;

  private final Settings settings;
  private final Vertx vertx;
  private final GuardedTransport transport;
  private final ListenerMeters meters;

  ListenerOpening(
      Settings settings, Vertx vertx, GuardedTransport transport, ListenerMeters meters) {
    this.settings = settings;
    this.vertx = vertx;
    this.transport = transport;
    this.meters = meters;
  }

  /**
   * Opens a listener, which holds its connections until they are accepted.
   *
   * @param port the setting with its port, after which the listener is named in metrics
   * @throws StartException if it can't be opened
   */
  HttpListener open(Setting port, HttpServerOptions options, Handler<HttpServerRequest> handler) {
    return open(port, options, handler, UnhandledRequests.NONE);
  }

  /** Like {@link #open(Setting, HttpServerOptions, Handler)}. */
  HttpListener open(
      Setting port,
      HttpServerOptions options,
      Handler<HttpServerRequest> handler,
      UnhandledRequests unhandled) {
    Connections.ConnectionLimits limits =
        new Connections.ConnectionLimits(
            settings.maxConnections(),
            settings.maxConnectionsPerAddress(),
            settings.requestTimeoutMillis());
    String name = name(port);
    return opened(
        port,
        options,
        HttpListener.open(
            vertx,
            new HttpListener.ListenerAddress(
                transport, meters.connections(name, limits).hold(), options, settings.workers()),
            handler,
            meters.failures(name),
            unhandled));
  }

  /** Opens the admin listener, which accepts connections at once. */
  static HttpListener ofAdmin(
      Settings settings,
      Vertx vertx,
      GuardedTransport transport,
      ListenerMeters meters,
      Handler<HttpServerRequest> handler) {
    Connections.ConnectionLimits limits =
        new Connections.ConnectionLimits(
            MAX_ADMIN_CONNECTIONS,
            MAX_ADMIN_CONNECTIONS / Settings.ADDRESS_SHARE,
            settings.requestTimeoutMillis());
    HttpServerOptions options = ListenerPolicy.options(settings.adminHost(), settings.adminPort());
    String name = name(Setting.ADMIN_PORT);
    return opened(
        Setting.ADMIN_PORT,
        options,
        HttpListener.open(
            vertx,
            new HttpListener.ListenerAddress(
                transport, meters.connections(name, limits), options, 1),
            handler,
            meters.failures(name)));
  }

  private static String name(Setting port) {
    return port == Setting.PORT
        ? "decision"
        : port.name().toLowerCase(Locale.ROOT).replace("_port", "");
  }

  private static HttpListener opened(
      Setting port, HttpServerOptions options, Future<HttpListener> opening) {
    try {
      return opening.await(MAX_START_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new StartException(port, options.getPort(), e);
    }
  }
}
