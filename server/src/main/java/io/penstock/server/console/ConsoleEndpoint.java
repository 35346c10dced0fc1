package io.penstock.server.console;

import io.penstock.server.http.HeaderLists;
import io.penstock.server.http.ProblemResponses;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Serves the files of the console. They contain no data, so they need no token; the pages read
 * everything from the admin API with the token of the viewer. Thread-safe.
 */
public final class ConsoleEndpoint implements Handler<HttpServerRequest> {
  private static final String ROOT = "/";
  private static final String FOLDER = "/console/";
  private static final String PAGE = "index.html";

  /** Where tools of this kind often have their console. */
  private static final Set<String> REDIRECTED = Set.of("/ui", "/ui/", "/dashboard", "/dashboard/");

  /** All files of the console except {@link #PAGE}. */
  static final List<String> FILES =
      List.of(
          "api.js",
          "change.js",
          "chart.js",
          "console.css",
          "editor.js",
          "figures.js",
          "format.js",
          "icon.svg",
          "key.js",
          "logsample.js",
          "main.js",
          "overview.js",
          "policy.js",
          "rule.js",
          "rules.js",
          "sandbox.js",
          "theme.js",
          "try.js",
          "ui.js",
          "violations.js",
          "vendor/htm.js",
          "vendor/preact.js",
          "vendor/uplot.css",
          "vendor/uplot.js");

  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
          + " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private final Map<String, ConsoleFile> files = new HashMap<>();

  public ConsoleEndpoint() {
    files.put(ROOT, ConsoleFile.read(PAGE));
    FILES.forEach(name -> files.put(FOLDER + name, ConsoleFile.read(name)));
  }

  /** Returns whether a path belongs to the console, even if there is no such file. */
  public static boolean serves(String path) {
    return path.equals(ROOT) || path.startsWith(FOLDER) || REDIRECTED.contains(path);
  }

  @Override
  public void handle(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    ConsoleFile file = files.get(String.valueOf(request.path()));
    addSecurityHeaders(response);
    if (REDIRECTED.contains(String.valueOf(request.path()))) {
      response.setStatusCode(302).putHeader("Location", ROOT).end();
    } else if (file == null) {
      ProblemResponses.end(response, 404, "Not Found", "No such path");
    } else if (!request.method().equals(HttpMethod.GET)
        && !request.method().equals(HttpMethod.HEAD)) {
      response.putHeader("Allow", "GET, HEAD");
      ProblemResponses.end(
          response, 405, "Method Not Allowed", "This path only supports GET and HEAD");
    } else {
      respond(request, file);
    }
  }

  private static void respond(HttpServerRequest request, ConsoleFile file) {
    HttpServerResponse response = request.response();
    boolean compressed = HeaderLists.accepts(request.getHeader("Accept-Encoding"), "gzip");
    // The compressed form is another representation, which needs a tag of its own.
    String tag = compressed ? file.tag().replaceFirst("\"$", "-gzip\"") : file.tag();
    response
        .putHeader("ETag", tag)
        // Browsers ask before they use a stored copy, so that an upgrade takes effect at once.
        .putHeader("Cache-Control", "no-cache")
        .putHeader("Vary", "Accept-Encoding");
    if (HeaderLists.accepts(request.getHeader("If-None-Match"), tag)) {
      response.setStatusCode(304).end();
      return;
    }
    response.putHeader("Content-Type", file.type());
    if (compressed) {
      response.putHeader("Content-Encoding", "gzip");
    }
    response.end(compressed ? file.compressed() : file.content());
  }

  private static void addSecurityHeaders(HttpServerResponse response) {
    response
        .putHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY)
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("X-Frame-Options", "DENY")
        .putHeader("Referrer-Policy", "no-referrer")
        .putHeader("Cross-Origin-Opener-Policy", "same-origin")
        .putHeader("Cross-Origin-Resource-Policy", "same-origin");
  }
}
