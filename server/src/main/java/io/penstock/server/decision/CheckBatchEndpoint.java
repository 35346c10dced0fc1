package io.penstock.server.decision;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.CheckJson;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.policy.request.CheckRequest;
import io.penstock.policy.request.CheckRequestReader;
import io.penstock.server.RequestLimiter;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.JsonResponses;
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
final class CheckBatchEndpoint implements Handler<HttpServerRequest> {
  static final String PATH = "/v1/check/batch";
  static final int MAX_REQUESTS = 1_000;

  private final RequestLimiter limiting;
  private final Bodies bodies;

  CheckBatchEndpoint(RequestLimiter limiting, Bodies bodies) {
    this.limiting = limiting;
    this.bodies = bodies;
  }

  @Override
  public void handle(HttpServerRequest asked) {
    bodies.read(asked, body -> decide(asked, body));
  }

  private void decide(HttpServerRequest asked, Buffer body) {
    JsonDocuments.<List<CheckRequest>>read(
        asked, body, CheckBatchEndpoint::read, questions -> decide(asked, questions));
  }

  private void decide(HttpServerRequest asked, List<CheckRequest> questions) {
    BatchAnswers answers = new BatchAnswers(asked, questions.size());
    if (questions.isEmpty()) {
      answers.end();
    }
    for (int i = 0; i < questions.size(); i++) {
      CheckEndpoint.ask(limiting, questions.get(i), answers.at(i));
    }
  }

  private static @Nullable List<CheckRequest> read(Node document, Problems problems) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null || !fields.require("checks")) {
      return null;
    }
    List<Located<Node>> checks = fields.list("checks");
    fields.done();
    if (checks == null) {
      return null;
    }
    if (checks.size() > MAX_REQUESTS) {
      fields.error("checks", "must have at most " + MAX_REQUESTS + " items: " + checks.size());
      return null;
    }
    List<CheckRequest> questions = new ArrayList<>(checks.size());
    for (Located<Node> check : checks) {
      CheckRequest question = CheckRequestReader.read(check, problems);
      if (question != null) {
        questions.add(question);
      }
    }
    return questions;
  }

  /** Gathers verdicts, and answers when the last one is there. Belongs to one event loop. */
  private static final class BatchAnswers {
    private final HttpServerRequest asked;
    private final @Nullable Verdict[] verdicts;
    private int missing;

    BatchAnswers(HttpServerRequest asked, int count) {
      this.asked = asked;
      this.verdicts = new Verdict[count];
      this.missing = count;
    }

    RequestLimiter.VerdictHandler at(int index) {
      return new RequestLimiter.VerdictHandler() {
        @Override
        public void decided(Verdict verdict) {
          verdicts[index] = verdict;
          if (--missing == 0) {
            end();
          }
        }

        @Override
        public void failed(Throwable failure) {
          UndecidedResponses.answer(asked.response(), failure);
        }
      };
    }

    void end() {
      JsonResponses.end(
          asked.response(),
          json -> {
            json.writeStartObject();
            json.writeArrayFieldStart("results");
            for (Verdict verdict : verdicts) {
              if (verdict != null) {
                CheckJson.write(verdict, json);
              }
            }
            json.writeEndArray();
            json.writeEndObject();
          });
    }
  }
}
