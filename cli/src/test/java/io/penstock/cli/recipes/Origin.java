package io.penstock.cli.recipes;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The protected origin. Responds with 200, or with 403 to {@code /forbidden}. */
final class Origin implements AutoCloseable {
  /**
   * A request that reached the origin.
   *
   * @param body one character for each byte
   */
  record Seen(String method, String target, String host, String body) {}

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  Origin() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      String body = new String(exchange.getRequestBody().readAllBytes(), ISO_8859_1);
      String target = exchange.getRequestURI().toString();
      String host = exchange.getRequestHeaders().getFirst("Host");
      seen.add(new Seen(exchange.getRequestMethod(), target, host, body));
      // Closing the exchange closes the connection. A proxy that is not told would use it again.
      exchange.getResponseHeaders().set("Connection", "close");
      exchange.sendResponseHeaders(target.startsWith("/forbidden") ? 403 : 200, -1);
    }
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Returns the requests whose path starts with a prefix. */
  List<Seen> seen(String path) {
    return seen.stream().filter(request -> request.target().startsWith(path)).toList();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
