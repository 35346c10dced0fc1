package io.penstock.server.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.function.Consumer;

/** Reads bodies of bounded size within a bounded time. Thread-safe. */
public final class Bodies {
  /** How long a client that was refused may go on sending, so that it gets to read why. */
  private static final long LINGER_MILLIS = 1_000;

  private final Vertx vertx;
  private final int mostBytes;
  private final long mostMillis;

  public Bodies(Vertx vertx, int mostBytes, long mostMillis) {
    this.vertx = vertx;
    this.mostBytes = mostBytes;
    this.mostMillis = mostMillis;
  }

  /** The same for bodies of another size. */
  public Bodies upTo(int otherBytes) {
    return new Bodies(vertx, otherBytes, mostMillis);
  }

  /**
   * Reads the whole body and hands it on. One that is too large is answered 413 as soon as that is
   * known, one that takes too long 408; their connections are closed.
   */
  public void read(HttpServerRequest request, Consumer<Buffer> then) {
    if (announced(request) > mostBytes) {
      tooLarge(request);
      return;
    }
    if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
      request.response().writeContinue();
    }
    Buffer body = Buffer.buffer();
    long timer = vertx.setTimer(mostMillis, late -> tooSlow(request));
    request.handler(
        part -> {
          if (body.length() + part.length() > mostBytes) {
            vertx.cancelTimer(timer);
            tooLarge(request);
          } else {
            body.appendBuffer(part);
          }
        });
    request.exceptionHandler(
        failure -> {
          vertx.cancelTimer(timer);
          ProblemResponses.end(request.response(), 400, "Bad Request", "The body is malformed");
        });
    request.endHandler(
        done -> {
          vertx.cancelTimer(timer);
          then.accept(body);
        });
  }

  private static long announced(HttpServerRequest request) {
    String length = request.getHeader("Content-Length");
    try {
      return length == null ? 0 : Long.parseLong(length);
    } catch (NumberFormatException theParserRefusesThese) {
      return Long.MAX_VALUE;
    }
  }

  private void tooLarge(HttpServerRequest request) {
    refuse(request, 413, "Content Too Large", "The body must have at most " + mostBytes + " bytes");
  }

  private void tooSlow(HttpServerRequest request) {
    refuse(request, 408, "Request Timeout", "The body must be there within " + mostMillis + " ms");
  }

  private void refuse(HttpServerRequest request, int status, String title, String detail) {
    Future<Void> answered = ProblemResponses.end(last(request), status, title, detail);
    if (request.version() == HttpVersion.HTTP_2) {
      answered.onComplete(written -> Streams.stop(request));
    } else {
      drain(request);
    }
  }

  private static HttpServerResponse last(HttpServerRequest request) {
    boolean isHttp1 = request.version().compareTo(HttpVersion.HTTP_2) < 0;
    return isHttp1 ? request.response().putHeader("Connection", "close") : request.response();
  }

  /** Reads on without keeping anything, for a short time: a reset would take the answer away. */
  private void drain(HttpServerRequest request) {
    request.handler(part -> {});
    request.endHandler(done -> request.connection().close());
    vertx.setTimer(LINGER_MILLIS, over -> request.connection().close());
  }
}
