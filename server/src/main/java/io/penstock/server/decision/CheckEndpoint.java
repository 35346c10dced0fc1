package io.penstock.server.decision;

import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HttpAnswer;
import io.penstock.policy.request.CheckRequest;
import io.penstock.policy.request.CheckRequestReader;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonDocuments;
import io.penstock.server.http.ProblemResponses;
import io.penstock.server.http.ResponseHeaders;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/** Decides one request that the caller describes. Thread-safe. */
final class CheckEndpoint implements Handler<HttpServerRequest> {
  static final String PATH = "/v1/check";

  private final Gate gate;
  private final Bodies bodies;

  CheckEndpoint(Gate gate, Bodies bodies) {
    this.gate = gate;
    this.bodies = bodies;
  }

  @Override
  public void handle(HttpServerRequest httpRequest) {
    bodies.read(httpRequest, body -> decide(httpRequest, body));
  }

  private void decide(HttpServerRequest httpRequest, Buffer body) {
    JsonDocuments.<CheckRequest>readUnlocated(
        httpRequest,
        body,
        CheckRequestReader::read,
        checkRequest -> evaluate(gate, checkRequest, new CheckCall(httpRequest)));
  }

  static void evaluate(Gate gate, CheckRequest checkRequest, Gate.VerdictHandler handler) {
    Request request = checkRequest.request().verifiedBy(gate.engine().jwt());
    if (checkRequest.dryRun()) {
      gate.peek(request, VertxInternals::eventLoop, handler);
    } else {
      gate.decide(request, VertxInternals::eventLoop, handler);
    }
  }

  /** Responds when the verdict arrives. */
  private final class CheckCall implements Gate.VerdictHandler {
    private final HttpServerResponse response;

    CheckCall(HttpServerRequest httpRequest) {
      this.response = httpRequest.response();
    }

    @Override
    public void decided(Verdict verdict) {
      HttpAnswer answer = gate.responses().describe(verdict, new ResponseHeaders(response));
      response.setStatusCode(answer.status()).end(Buffer.buffer(answer.body()));
    }

    @Override
    public void undecided() {
      ProblemResponses.undecided(response);
    }
  }
}
