package io.penstock.server.envoy;

import com.google.protobuf.MessageLite;
import com.google.protobuf.MessageOrBuilder;
import io.penstock.server.envoy.proto.auth.CheckRequest;
import io.penstock.server.envoy.proto.health.HealthCheckRequest;
import io.penstock.server.envoy.proto.service.RateLimitRequest;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.GrpcServerRequest;
import io.vertx.grpc.server.GrpcServerResponse;
import java.util.Set;

/** The gRPC services: rate limits, authorization and health. Thread-safe. */
final class GrpcEndpoint implements Handler<HttpServerRequest> {
  private static final int MAX_MESSAGE_BYTES = 128 << 10;
  private static final ServiceName RATE_LIMITS =
      ServiceName.create("envoy.service.ratelimit.v3", "RateLimitService");
  private static final ServiceName AUTHORIZATION =
      ServiceName.create("envoy.service.auth.v3", "Authorization");
  private static final ServiceName HEALTH = ServiceName.create("grpc.health.v1", "Health");

  /** The services that health checks may ask for; the empty name is that of the whole server. */
  static final Set<String> SERVICES =
      Set.of("", "ratelimit", RATE_LIMITS.fullyQualifiedName(), AUTHORIZATION.fullyQualifiedName());

  private final GrpcServer server;
  private final LimitDecisions decisions;
  private final AnswerHeaders headers;
  private final LimitMeters meters;
  private final RequestDeadline deadline;

  /**
   * @param authorization decides by the policy
   * @param requestTimeoutMillis how long the message of a request may take to arrive
   */
  GrpcEndpoint(
      Vertx vertx,
      LimitDecisions decisions,
      AnswerHeaders headers,
      LimitMeters meters,
      AuthorizationEndpoint authorization,
      GrpcHealth health,
      long requestTimeoutMillis) {
    this.decisions = decisions;
    this.headers = headers;
    this.meters = meters;
    this.deadline = new RequestDeadline(vertx, requestTimeoutMillis);
    GrpcServerOptions options = new GrpcServerOptions().setMaxMessageSize(MAX_MESSAGE_BYTES);
    for (GrpcProtocol protocol : GrpcProtocol.values()) {
      if (protocol != GrpcProtocol.HTTP_2) {
        options.removeEnabledProtocol(protocol);
      }
    }
    this.server = GrpcServer.server(vertx, options);
    unary(RATE_LIMITS, "ShouldRateLimit", RateLimitRequest.getDefaultInstance(), this::decide);
    unary(AUTHORIZATION, "Check", CheckRequest.getDefaultInstance(), authorization::check);
    unary(HEALTH, "Check", HealthCheckRequest.getDefaultInstance(), health::check);
    unary(HEALTH, "Watch", HealthCheckRequest.getDefaultInstance(), health::watch);
  }

  @Override
  public void handle(HttpServerRequest request) {
    server.handle(request);
  }

  /** Handles a call with one message. */
  private interface UnaryMethod<Q, A> {
    void handle(Q message, GrpcServerRequest<Q, A> call);
  }

  private <Q extends MessageOrBuilder, A extends MessageLite> void unary(
      ServiceName service, String method, Q prototype, UnaryMethod<Q, A> handler) {
    GrpcMessageDecoder<Q> decoder = GrpcMessageDecoder.decoder(prototype);
    GrpcMessageEncoder<A> encoder = GrpcMessageEncoder.encoder();
    server.callHandler(
        ServiceMethod.server(service, method, encoder, decoder), call -> receive(call, handler));
  }

  private <Q, A> void receive(GrpcServerRequest<Q, A> call, UnaryMethod<Q, A> handler) {
    GrpcServerResponse<Q, A> response = call.response();
    RequestDeadline.PendingCall pending = deadline.start(response::cancel);
    call.exceptionHandler(failure -> pending.end());
    call.last()
        .onComplete(
            message -> {
              pending.end();
              if (message == null) {
                fail(response, GrpcStatus.INVALID_ARGUMENT, "the message is missing");
              } else {
                handler.handle(message, call);
              }
            },
            malformed -> {
              // Vert.x responds to most malformed messages; the deadline ends the other calls.
            });
  }

  private void decide(
      RateLimitRequest request, GrpcServerRequest<RateLimitRequest, RateLimitResponse> call) {
    GrpcServerResponse<RateLimitRequest, RateLimitResponse> response = call.response();
    try {
      decisions.decide(
          ProtoMessages.query(request),
          VertxInternals::eventLoop,
          new LimitDecisions.AnswerHandler() {
            @Override
            public void answered(LimitAnswer answer) {
              var unused = response.end(ProtoMessages.response(answer, headers.of(answer)));
            }

            @Override
            public void undecided() {
              GrpcEndpoint.undecided(response);
            }
          });
    } catch (InvalidQueryException invalid) {
      meters.invalid();
      fail(response, GrpcStatus.INVALID_ARGUMENT, String.valueOf(invalid.getMessage()));
    }
  }

  /** Responds to a request that could not be decided because of an internal error. */
  static void undecided(GrpcServerResponse<?, ?> response) {
    fail(response, GrpcStatus.INTERNAL, "the request could not be decided");
  }

  static void fail(GrpcServerResponse<?, ?> response, GrpcStatus status, String message) {
    var unused = response.status(status).statusMessage(message).end();
  }
}
