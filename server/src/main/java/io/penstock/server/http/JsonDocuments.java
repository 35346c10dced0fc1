package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads JSON documents that clients send. */
public final class JsonDocuments {
  /** The max number of errors in a response. */
  static final int MAX_ERRORS = 100;

  /** The max size of a body that is parsed on the event loop. */
  static final int MAX_INLINE_BYTES = 64 << 10;

  private static final String NAME = "body.json";

  private JsonDocuments() {}

  /**
   * Passes the result of {@code reader} to {@code then}. If the body is invalid, responds with its
   * first {@value #MAX_ERRORS} errors instead. A body larger than {@value #MAX_INLINE_BYTES} bytes
   * is parsed on a worker thread, so that it does not block other clients of the event loop.
   */
  public static <T> void read(
      HttpServerRequest request,
      Buffer body,
      BiFunction<Node, Problems, @Nullable T> reader,
      Consumer<T> then) {
    if (body.length() <= MAX_INLINE_BYTES) {
      new ParsedBody<T>(body, reader).complete(request, then);
      return;
    }
    Objects.requireNonNull(Vertx.currentContext())
        .executeBlocking(() -> new ParsedBody<T>(body, reader), false)
        .onComplete(
            parsed -> parsed.complete(request, then),
            failure -> {
              // The exception handler of the context responds.
              throw new IllegalStateException("cannot parse a request body", failure);
            });
  }

  /** A parsed body. */
  private static final class ParsedBody<T> {
    private final Problems problems = new Problems(MAX_ERRORS);
    private final @Nullable T value;

    ParsedBody(Buffer body, BiFunction<Node, Problems, @Nullable T> reader) {
      Node document = Document.parse(body.toString(UTF_8), NAME, problems);
      this.value = document == null ? null : reader.apply(document, problems);
    }

    void complete(HttpServerRequest request, Consumer<T> then) {
      if (problems.errorCount() > 0) {
        ProblemResponses.badDocument(request.response(), problems.errors());
      } else if (value != null) {
        then.accept(value);
      } else {
        throw new IllegalStateException("reader returned neither a value nor errors");
      }
    }
  }
}
