package io.penstock.server.decision;

import io.penstock.policy.Verdict;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HttpAnswer;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import io.penstock.policy.request.CheckRequest;
import io.penstock.policy.request.CheckRequestReader;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.ResponseHeaders;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides several requests, each independently, and returns the results in the same order. If any
 * of them is malformed, none is decided. Thread-safe.
 */
final class CheckBatchEndpoint implements Handler<HttpServerRequest> {
  static final String PATH = "/v1/check/batch";
  static final int MAX_REQUESTS = 1_000;

  private final Gate gate;
  private final Bodies bodies;

  CheckBatchEndpoint(Gate gate, Bodies bodies) {
    this.gate = gate;
    this.bodies = bodies;
  }

  @Override
  public void handle(HttpServerRequest httpRequest) {
    bodies.read(httpRequest, body -> decide(httpRequest, body));
  }

  private void decide(HttpServerRequest httpRequest, Buffer body) {
    JsonDocuments.<List<CheckRequest>>readUnlocated(
        httpRequest,
        body,
        CheckBatchEndpoint::read,
        checkRequests -> decide(httpRequest, checkRequests));
  }

  private void decide(HttpServerRequest httpRequest, List<CheckRequest> checkRequests) {
    BatchResponse response = new BatchResponse(httpRequest, checkRequests.size());
    if (checkRequests.isEmpty()) {
      response.end();
    }
    for (int i = 0; i < checkRequests.size(); i++) {
      CheckEndpoint.evaluate(gate, checkRequests.get(i), response.at(i));
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
    List<CheckRequest> checkRequests = new ArrayList<>(checks.size());
    for (Located<Node> check : checks) {
      CheckRequest checkRequest = CheckRequestReader.read(check, problems);
      if (checkRequest != null) {
        checkRequests.add(checkRequest);
      }
    }
    return checkRequests;
  }

  /** Collects verdicts and responds when the last one arrives. Confined to one event loop. */
  private final class BatchResponse {
    private final HttpServerResponse response;
    private final Verdict[] verdicts;
    private int missing;

    BatchResponse(HttpServerRequest httpRequest, int count) {
      this.response = httpRequest.response();
      this.verdicts = new Verdict[count];
      this.missing = count;
    }

    Gate.VerdictHandler at(int index) {
      return new Gate.VerdictHandler() {
        @Override
        public void decided(Verdict verdict) {
          verdicts[index] = verdict;
          if (--missing == 0) {
            end();
          }
        }

        @Override
        public void undecided() {
          ProblemResponses.undecided(response);
        }
      };
    }

    void end() {
      HttpAnswer answer =
          gate.responses().describe(Arrays.asList(verdicts), new ResponseHeaders(response));
      response
          .setStatusCode(answer.status())
          .putHeader("Cache-Control", "no-store")
          .end(Buffer.buffer(answer.body()));
    }
  }
}
