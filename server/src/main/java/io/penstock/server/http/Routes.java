package io.penstock.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What is behind which path. Thread-safe once filled. */
public final class Routes implements Handler<HttpServerRequest> {
  private final Map<String, Map<String, Handler<HttpServerRequest>>> routes = new TreeMap<>();

  /** Adds a handler. */
  public Routes on(HttpMethod method, String path, Handler<HttpServerRequest> handler) {
    routes.computeIfAbsent(path, unused -> new TreeMap<>()).put(method.name(), handler);
    return this;
  }

  /** All paths with their methods. */
  public Map<String, Set<String>> paths() {
    return routes.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().keySet()));
  }

  @Override
  public void handle(HttpServerRequest request) {
    Map<String, Handler<HttpServerRequest>> methods = routes.get(request.path());
    if (methods == null) {
      Refusals.end(request.response(), 404, "Not Found", "There is nothing at this path");
      return;
    }
    String method = request.method().name();
    Handler<HttpServerRequest> handler = methods.get(method.equals("HEAD") ? "GET" : method);
    if (handler == null) {
      String allowed = String.join(", ", methods.keySet());
      request.response().putHeader("Allow", allowed);
      Refusals.end(
          request.response(), 405, "Method Not Allowed", "This path is for " + allowed + " only");
      return;
    }
    handler.handle(request);
  }
}
