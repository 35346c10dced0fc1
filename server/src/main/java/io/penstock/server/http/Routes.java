package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.net.URLDecoder;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The handlers of a listener, by path and method. Thread-safe once all routes are added. */
public final class Routes implements Handler<HttpServerRequest> {
  private static final String NAME = "{name}";

  private final Map<String, Map<String, BiConsumer<HttpServerRequest, String>>> routes =
      new TreeMap<>();

  /** Adds a handler for a fixed path. */
  public Routes on(HttpMethod method, String path, Handler<HttpServerRequest> handler) {
    return add(method, path, (request, none) -> handler.handle(request));
  }

  /** Adds a handler for a path with a {@code {name}}, which the handler receives decoded. */
  public Routes onNamed(
      HttpMethod method, String path, BiConsumer<HttpServerRequest, String> handler) {
    return add(method, path, handler);
  }

  private Routes add(
      HttpMethod method, String path, BiConsumer<HttpServerRequest, String> handler) {
    routes.computeIfAbsent(path, unused -> new TreeMap<>()).put(method.name(), handler);
    return this;
  }

  /** Returns all paths with their methods. */
  public Map<String, Set<String>> paths() {
    return routes.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().keySet()));
  }

  /**
   * Responds to a malformed request or a CONNECT, which no route can handle; returns whether it
   * did.
   */
  public static boolean rejectIfInvalid(HttpServerRequest request) {
    if (MalformedHead.isMarked(request.uri())) {
      ProblemResponses.end(request.response(), 400, "Bad Request", "The request is malformed");
      return true;
    }
    if (request.method().equals(HttpMethod.CONNECT)) {
      ProblemResponses.end(
          request.response(), 405, "Method Not Allowed", "This listener does not support CONNECT");
      return true;
    }
    return false;
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (rejectIfInvalid(request)) {
      return;
    }
    String path = String.valueOf(request.path());
    Map<String, BiConsumer<HttpServerRequest, String>> methods = routes.get(path);
    String name = "";
    if (methods == null) {
      for (Map.Entry<String, Map<String, BiConsumer<HttpServerRequest, String>>> route :
          routes.entrySet()) {
        String found = parseName(route.getKey(), path);
        if (found != null) {
          methods = route.getValue();
          name = found;
        }
      }
    }
    if (methods == null) {
      ProblemResponses.end(request.response(), 404, "Not Found", "No such path");
      return;
    }
    String method = request.method().name();
    BiConsumer<HttpServerRequest, String> handler =
        methods.get(method.equals("HEAD") ? "GET" : method);
    if (handler == null) {
      String allowed = String.join(", ", methods.keySet());
      request.response().putHeader("Allow", allowed);
      ProblemResponses.end(
          request.response(), 405, "Method Not Allowed", "This path only supports " + allowed);
      return;
    }
    handler.accept(request, name);
  }

  /** Returns the name in a path that matches {@code route}; null if it doesn't match. */
  private static @Nullable String parseName(String route, String path) {
    int at = route.indexOf(NAME);
    if (at < 0) {
      return null;
    }
    String rest = route.substring(at + NAME.length());
    int end = path.length() - rest.length();
    if (!path.startsWith(route.substring(0, at)) || !path.endsWith(rest) || end <= at) {
      return null;
    }
    String name = path.substring(at, end);
    try {
      return name.indexOf('/') >= 0 ? null : URLDecoder.decode(name.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }
}
