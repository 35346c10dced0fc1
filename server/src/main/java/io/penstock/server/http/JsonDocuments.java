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
    parse(request, body, located(reader), then);
  }

  /**
   * Like {@link #read}, but faster for valid documents. The result of the reader must not depend on
   * locations in the document.
   */
  public static <T> void readUnlocated(
      HttpServerRequest request,
      Buffer body,
      BiFunction<Node, Problems, @Nullable T> reader,
      Consumer<T> then) {
    parse(request, body, (text, problems) -> Document.readJson(text, NAME, problems, reader), then);
  }

  /** Parses the text of a body; reports errors and returns null if it is invalid. */
  private interface BodyParser<T> {
    @Nullable T parse(String text, Problems problems);
  }

  private static <T> void parse(
      HttpServerRequest request, Buffer body, BodyParser<T> parser, Consumer<T> then) {
    if (body.length() <= MAX_INLINE_BYTES) {
      new ParsedBody<>(body, parser).complete(request, then);
      return;
    }
    Objects.requireNonNull(Vertx.currentContext())
        .executeBlocking(() -> new ParsedBody<>(body, parser), false)
        .onComplete(
            parsed -> parsed.complete(request, then),
            failure -> {
              // The exception handler of the context responds.
              throw new IllegalStateException("cannot parse a request body", failure);
            });
  }

  /** Parses a body on the calling thread. */
  public static <T> ParsedBody<T> parse(
      Buffer body, BiFunction<Node, Problems, @Nullable T> reader) {
    return new ParsedBody<>(body, located(reader));
  }

  private static <T> BodyParser<T> located(BiFunction<Node, Problems, @Nullable T> reader) {
    return (text, problems) -> {
      Node document = Document.parse(text, NAME, problems);
      return document == null ? null : reader.apply(document, problems);
    };
  }

  /** A parsed body. */
  public static final class ParsedBody<T> {
    private final Problems problems = new Problems(MAX_ERRORS);
    private final @Nullable T value;

    private ParsedBody(Buffer body, BodyParser<T> parser) {
      this.value = parser.parse(body.toString(UTF_8), problems);
    }

    /** Passes the value to {@code then}, or responds with the errors if there is none. */
    public void complete(HttpServerRequest request, Consumer<T> then) {
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
