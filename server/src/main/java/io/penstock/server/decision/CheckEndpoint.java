package io.penstock.server.decision;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.CheckJson;
import io.penstock.policy.request.CheckRequest;
import io.penstock.policy.request.CheckRequestReader;
import io.penstock.server.RequestLimiter;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/** Answers programs that ask about one request. Thread-safe. */
final class CheckEndpoint implements Handler<HttpServerRequest> {
  static final String PATH = "/v1/check";

  private final RequestLimiter limiting;
  private final Bodies bodies;

  CheckEndpoint(RequestLimiter limiting, Bodies bodies) {
    this.limiting = limiting;
    this.bodies = bodies;
  }

  @Override
  public void handle(HttpServerRequest asked) {
    bodies.read(asked, body -> decide(asked, body));
  }

  private void decide(HttpServerRequest asked, Buffer body) {
    JsonDocuments.<CheckRequest>read(
        asked,
        body,
        CheckRequestReader::read,
        question -> ask(limiting, question, new CheckCall(asked)));
  }

  static void ask(
      RequestLimiter limiting, CheckRequest question, RequestLimiter.VerdictHandler answer) {
    if (question.dryRun()) {
      limiting.preview(question.request(), answer);
    } else {
      limiting.decide(question.request(), answer);
    }
  }

  /** Answers as soon as there is a verdict. */
  private record CheckCall(HttpServerRequest asked) implements RequestLimiter.VerdictHandler {
    @Override
    public void decided(Verdict verdict) {
      asked
          .response()
          .putHeader("Content-Type", JsonResponses.TYPE)
          .end(Buffer.buffer(CheckJson.bytes(verdict)));
    }

    @Override
    public void failed(Throwable failure) {
      UndecidedResponses.answer(asked.response(), failure);
    }
  }
}
