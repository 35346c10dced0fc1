package io.penstock.server.decision;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.CheckAnswer;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Placed;
import io.penstock.policy.load.Problems;
import io.penstock.policy.request.Question;
import io.penstock.policy.request.QuestionReader;
import io.penstock.server.Limiting;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.Documents;
import io.penstock.server.http.JsonAnswers;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Answers programs that ask about several requests at once: each by itself, in the order asked. If
 * any can't be understood, none is decided. Thread-safe.
 */
final class CheckBatch implements Handler<HttpServerRequest> {
  static final String PATH = "/v1/check/batch";
  static final int MOST = 1_000;

  private final Limiting limiting;
  private final Bodies bodies;

  CheckBatch(Limiting limiting, Bodies bodies) {
    this.limiting = limiting;
    this.bodies = bodies;
  }

  @Override
  public void handle(HttpServerRequest asked) {
    bodies.read(asked, body -> decide(asked, body));
  }

  private void decide(HttpServerRequest asked, Buffer body) {
    Documents.<List<Question>>read(
        asked, body, CheckBatch::read, questions -> decide(asked, questions));
  }

  private void decide(HttpServerRequest asked, List<Question> questions) {
    Answers answers = new Answers(asked, questions.size());
    if (questions.isEmpty()) {
      answers.end();
    }
    for (int i = 0; i < questions.size(); i++) {
      Check.ask(limiting, questions.get(i), answers.at(i));
    }
  }

  private static @Nullable List<Question> read(Node document, Problems problems) {
    Fields fields = Fields.of(new Placed<>(document, document.at(), ""), problems);
    if (fields == null || !fields.require("checks")) {
      return null;
    }
    List<Placed<Node>> checks = fields.list("checks");
    fields.done();
    if (checks == null) {
      return null;
    }
    if (checks.size() > MOST) {
      fields.error("checks", "must have at most " + MOST + " items: " + checks.size());
      return null;
    }
    List<Question> questions = new ArrayList<>(checks.size());
    for (Placed<Node> check : checks) {
      Question question = QuestionReader.read(check, problems);
      if (question != null) {
        questions.add(question);
      }
    }
    return questions;
  }

  /** Gathers verdicts, and answers when the last one is there. Belongs to one event loop. */
  private static final class Answers {
    private final HttpServerRequest asked;
    private final @Nullable Verdict[] verdicts;
    private int missing;

    Answers(HttpServerRequest asked, int count) {
      this.asked = asked;
      this.verdicts = new Verdict[count];
      this.missing = count;
    }

    Limiting.Answer at(int index) {
      return new Limiting.Answer() {
        @Override
        public void decided(Verdict verdict) {
          verdicts[index] = verdict;
          if (--missing == 0) {
            end();
          }
        }

        @Override
        public void failed(Throwable failure) {
          Failures.answer(asked.response(), failure);
        }
      };
    }

    void end() {
      JsonAnswers.end(
          asked.response(),
          json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("results");
            for (Verdict verdict : verdicts) {
              if (verdict != null) {
                CheckAnswer.write(verdict, json);
              }
            }
            json.writeEndArray();
            json.writeEndObject();
          });
    }
  }
}
