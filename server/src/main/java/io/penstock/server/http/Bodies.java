package io.penstock.server.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.function.Consumer;

/** Reads request bodies of limited size within a limited time. Thread-safe. */
public final class Bodies {
  /** How long a rejected client may continue to send, so that it can read the response. */
  private static final long LINGER_MILLIS = 1_000;

  private static final Buffer NOTHING = Buffer.buffer();

  private final Vertx vertx;
  private final int maxBytes;
  private final long timeoutMillis;

  public Bodies(Vertx vertx, int maxBytes, long timeoutMillis) {
    this.vertx = vertx;
    this.maxBytes = maxBytes;
    this.timeoutMillis = timeoutMillis;
  }

  /** Returns a reader with another size limit. */
  public Bodies upTo(int otherBytes) {
    return new Bodies(vertx, otherBytes, timeoutMillis);
  }

  /**
   * Reads the whole body and passes it to {@code then}. A body that is too large gets 413 as soon
   * as that is known, one that takes too long gets 408, and a malformed one gets 400; their
   * connections are closed.
   */
  public void read(HttpServerRequest request, Consumer<Buffer> then) {
    if (request.decoderResult().isFailure()) {
      malformed(request);
      return;
    }
    if (contentLength(request) > maxBytes) {
      tooLarge(request);
      return;
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
      request.response().writeContinue();
    }
    new PendingBody(request, then).read();
  }

  /** A body that is being read. Confined to the event loop of its request. */
  private final class PendingBody {
    private static final long NO_TIMER = -1;

    private final HttpServerRequest request;
    private final Consumer<Buffer> then;
    private Buffer body = NOTHING;
    private int parts;
    private boolean ended;
    private long timer = NO_TIMER;

    PendingBody(HttpServerRequest request, Consumer<Buffer> then) {
      this.request = request;
      this.then = then;
    }

    void read() {
      request.handler(this::add);
      request.exceptionHandler(
          failure -> {
            end();
            malformed(request);
          });
      request.endHandler(
          done -> {
            end();
            then.accept(body);
          });
      // Most bodies arrive together with the head, and need no timer, which costs more than they
      // do.
      vertx.runOnContext(turn -> startTimer());
    }

    private void add(Buffer part) {
      if (body.length() + part.length() > maxBytes) {
        end();
        tooLarge(request);
      } else if (parts++ == 0) {
        // Most bodies consist of one part, which need not be copied.
        body = part;
      } else {
        body = parts == 2 ? Buffer.buffer().appendBuffer(body) : body;
        body.appendBuffer(part);
      }
    }

    private void startTimer() {
      if (!ended) {
        timer = vertx.setTimer(timeoutMillis, late -> tooSlow(request));
      }
    }

    private void end() {
      ended = true;
      if (timer != NO_TIMER) {
        vertx.cancelTimer(timer);
      }
    }
  }

  private static long contentLength(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    try {
      return length == null ? 0 : Long.parseLong(length);
    } catch (NumberFormatException invalid) {
      return Long.MAX_VALUE;
    }
  }

  private static void malformed(HttpServerRequest request) {
    ProblemResponses.end(request.response(), 400, "Bad Request", MalformedBodyException.DETAIL);
  }

  private void tooLarge(HttpServerRequest request) {
    reject(request, 413, "Content Too Large", "The body must have at most " + maxBytes + " bytes");
  }

  private void tooSlow(HttpServerRequest request) {
    reject(request, 408, "Request Timeout", "The body must arrive within " + timeoutMillis + " ms");
  }

  private void reject(HttpServerRequest request, int status, String title, String detail) {
    Future<Void> responded = ProblemResponses.end(closing(request), status, title, detail);
    if (request.version() == HttpVersion.HTTP_2) {
      responded.onComplete(written -> Streams.stop(request));
    } else {
      drain(request);
    }
  }

  private static HttpServerResponse closing(HttpServerRequest request) {
    boolean isHttp1 = request.version().compareTo(HttpVersion.HTTP_2) < 0;
    return isHttp1 ? request.response().putHeader("Connection", "close") : request.response();
  }

  /** Discards the rest of the body for a short time: a reset could discard the response. */
  private void drain(HttpServerRequest request) {
    request.handler(part -> {});
    request.endHandler(done -> request.connection().close());
    vertx.setTimer(LINGER_MILLIS, over -> request.connection().close());
  }
}
