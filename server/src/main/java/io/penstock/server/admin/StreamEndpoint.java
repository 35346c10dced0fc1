package io.penstock.server.admin;

import io.penstock.server.http.ProblemResponses;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stream of live figures as server-sent events. Thread-safe.
 *
 * <p>An event is rendered once for all viewers, and only if there are any. A viewer that has not
 * read the events before it is disconnected, so nothing is kept for slow viewers.
 */
public final class StreamEndpoint {
  static final int MAX_VIEWERS = 100;

  /** The output of one viewer that may wait for the network, in bytes. */
  private static final int MAX_PENDING_BYTES = 128 << 10;

  private final Context context;
  private final Executor renderer;
  private final Supplier<byte[]> figures;

  /** The viewers; confined to the context. */
  private final Set<HttpServerResponse> viewers = new HashSet<>();

  /** The number of viewers, for other threads. */
  private volatile int watching;

  /** The last event, while there are viewers; confined to the context. */
  private @Nullable Buffer latest;

  private boolean closed;

  /**
   * @param vertx the Vert.x of the listener, which has one event loop
   * @param renderer runs {@code figures}
   * @param figures returns the current figures as one line of JSON
   */
  public StreamEndpoint(Vertx vertx, Executor renderer, Supplier<byte[]> figures) {
    this.context = vertx.getOrCreateContext();
    this.renderer = renderer;
    this.figures = figures;
  }

  void stream(HttpServerRequest request) {
    HttpServerResponse response = request.response();
    if (request.method().equals(HttpMethod.HEAD)) {
      start(response).end();
      return;
    }
    context.runOnContext(turn -> add(response));
  }

  private static HttpServerResponse start(HttpServerResponse response) {
    return response
        .putHeader("Content-Type", "text/event-stream")
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Accel-Buffering", "no");
  }

  private void add(HttpServerResponse response) {
    if (closed || viewers.size() >= MAX_VIEWERS) {
      ProblemResponses.end(
          response,
          503,
          "Service Unavailable",
          closed
              ? "The process is shutting down"
              : "The stream already has the max number of viewers: " + MAX_VIEWERS);
      return;
    }
    if (response.closed()) {
      return;
    }
    viewers.add(response);
    watching = viewers.size();
    response.exceptionHandler(failure -> remove(response));
    response.closeHandler(left -> remove(response));
    start(response).setChunked(true).setWriteQueueMaxSize(MAX_PENDING_BYTES);
    if (latest != null) {
      response.write(latest);
    } else if (viewers.size() == 1) {
      renderer.execute(this::publish);
    }
  }

  private void remove(HttpServerResponse response) {
    viewers.remove(response);
    watching = viewers.size();
    if (watching == 0) {
      latest = null;
    }
  }

  /** Sends the current figures to all viewers. Call it once a second. */
  public void publish() {
    if (watching > 0) {
      Buffer event =
          Buffer.buffer("event: figures\ndata: ").appendBytes(figures.get()).appendString("\n\n");
      context.runOnContext(turn -> send(event));
    }
  }

  private void send(Buffer event) {
    latest = viewers.isEmpty() ? null : event;
    for (HttpServerResponse viewer : new ArrayList<>(viewers)) {
      if (viewer.writeQueueFull()) {
        remove(viewer);
        viewer.reset();
      } else {
        viewer.write(event);
      }
    }
  }

  /** Returns the number of viewers. */
  int viewers() {
    return watching;
  }

  /** Ends the streams of all viewers, and accepts no further ones. */
  public CompletionStage<Void> close() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    context.runOnContext(
        turn -> {
          closed = true;
          for (HttpServerResponse viewer : new ArrayList<>(viewers)) {
            remove(viewer);
            viewer.end();
          }
          done.complete(null);
        });
    return done;
  }
}
