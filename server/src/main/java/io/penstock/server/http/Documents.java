package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Documents that clients send, in JSON. */
public final class Documents {
  private static final String NAME = "body.json";

  private Documents() {}

  /**
   * What {@code reader} makes of a body; null if it can't be used, and then the client has been
   * told everything that is wrong with it.
   */
  public static <T> @Nullable T read(
      HttpServerRequest request, Buffer body, BiFunction<Node, Problems, @Nullable T> reader) {
    Problems problems = new Problems();
    Node document = Document.parse(body.toString(UTF_8), NAME, problems);
    T read = document == null ? null : reader.apply(document, problems);
    if (problems.errorCount() > 0) {
      Refusals.badDocument(request.response(), problems.errors());
      return null;
    }
    return read;
  }
}
