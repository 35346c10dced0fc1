package io.penstock.server.decision;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.CheckAnswer;
import io.penstock.policy.request.Question;
import io.penstock.policy.request.QuestionReader;
import io.penstock.server.Limiting;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.Documents;
import io.penstock.server.http.JsonAnswers;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/** Answers programs that ask about one request. Thread-safe. */
final class Check implements Handler<HttpServerRequest> {
  static final String PATH = "/v1/check";

  private final Limiting limiting;
  private final Bodies bodies;

  Check(Limiting limiting, Bodies bodies) {
    this.limiting = limiting;
    this.bodies = bodies;
  }

  @Override
  public void handle(HttpServerRequest asked) {
    bodies.read(asked, body -> decide(asked, body));
  }

  private void decide(HttpServerRequest asked, Buffer body) {
    Documents.<Question>read(
        asked, body, QuestionReader::read, question -> ask(limiting, question, new Answer(asked)));
  }

  static void ask(Limiting limiting, Question question, Limiting.Answer answer) {
    if (question.dryRun()) {
      limiting.preview(question.request(), answer);
    } else {
      limiting.decide(question.request(), answer);
    }
  }

  /** Answers as soon as there is a verdict. */
  private record Answer(HttpServerRequest asked) implements Limiting.Answer {
    @Override
    public void decided(Verdict verdict) {
      asked
          .response()
          .putHeader("Content-Type", JsonAnswers.TYPE)
          .end(Buffer.buffer(CheckAnswer.bytes(verdict)));
    }

    @Override
    public void failed(Throwable failure) {
      Failures.answer(asked.response(), failure);
    }
  }
}
