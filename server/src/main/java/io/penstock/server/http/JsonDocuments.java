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

/** Documents that clients send, in JSON. */
public final class JsonDocuments {
  /** How many errors a client is told of. */
  static final int MAX_ERRORS = 100;

  /** The largest body that an event loop reads itself. */
  static final int MAX_INLINE_BYTES = 64 << 10;

  private static final String NAME = "body.json";

  private JsonDocuments() {}

  /**
   * Hands on what {@code reader} makes of a body. If it can't be used, the client is told what is
   * wrong with it instead: the first {@value #MAX_ERRORS} errors. A body beyond {@value
   * #MAX_INLINE_BYTES} bytes is read by a worker thread, so that the event loop's other clients
   * don't wait for it.
   */
  public static <T> void read(
      HttpServerRequest request,
      Buffer body,
      BiFunction<Node, Problems, @Nullable T> reader,
      Consumer<T> then) {
    if (body.length() <= MAX_INLINE_BYTES) {
      new Reading<T>(body, reader).tell(request, then);
      return;
    }
    Objects.requireNonNull(Vertx.currentContext())
        .executeBlocking(() -> new Reading<T>(body, reader), false)
        .onComplete(
            reading -> reading.tell(request, then),
            failure -> {
              // The context's handler of exceptions answers.
              throw new IllegalStateException("a body could not be read", failure);
            });
  }

  /** A body that was read. */
  private static final class Reading<T> {
    private final Problems problems = new Problems(MAX_ERRORS);
    private final @Nullable T value;

    Reading(Buffer body, BiFunction<Node, Problems, @Nullable T> reader) {
      Node document = Document.parse(body.toString(UTF_8), NAME, problems);
      this.value = document == null ? null : reader.apply(document, problems);
    }

    void tell(HttpServerRequest request, Consumer<T> then) {
      if (problems.errorCount() > 0) {
        ProblemResponses.badDocument(request.response(), problems.errors());
      } else if (value != null) {
        then.accept(value);
      } else {
        throw new IllegalStateException("a body is neither good nor bad");
      }
    }
  }
}
