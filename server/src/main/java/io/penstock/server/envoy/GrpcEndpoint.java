package io.penstock.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.MessageOrBuilder;
import io.penstock.server.envoy.proto.auth.CheckRequest;
import io.penstock.server.envoy.proto.health.HealthCheckRequest;
import io.penstock.server.envoy.proto.reflection.v1.ServerReflectionRequest;
import io.penstock.server.envoy.proto.reflection.v1.ServerReflectionResponse;
import io.penstock.server.envoy.proto.service.RateLimitRequest;
import io.penstock.server.envoy.proto.service.RateLimitResponse;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
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
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** The gRPC services: rate limits, authorization, health and reflection. Thread-safe. */
final class GrpcEndpoint implements Handler<HttpServerRequest> {
  private static final int MAX_MESSAGE_BYTES = 128 << 10;
  private static final ServiceName RATE_LIMITS =
      ServiceName.create("envoy.service.ratelimit.v3", "RateLimitService");
  private static final ServiceName AUTHORIZATION =
      ServiceName.create("envoy.service.auth.v3", "Authorization");
  private static final ServiceName HEALTH = ServiceName.create("grpc.health.v1", "Health");

  /** Both versions, which differ only in their names. */
  private static final List<ServiceName> REFLECTION =
      List.of(
          ServiceName.create("grpc.reflection.v1", "ServerReflection"),
          ServiceName.create("grpc.reflection.v1alpha", "ServerReflection"));

  /** The services that health checks may ask for; the empty name is that of the whole server. */
  static final Set<String> SERVICES =
      Set.of("", "ratelimit", RATE_LIMITS.fullyQualifiedName(), AUTHORIZATION.fullyQualifiedName());

  private static final String ENCODING = "grpc-encoding";
  private static final String PROTOBUF = "application/grpc+proto";

  /** The beginning of the types of messages that are not protobuf, such as JSON. */
  private static final String UNSUPPORTED_FORMAT = "application/grpc+";

  private final GrpcReflection reflection = new GrpcReflection();
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
    REFLECTION.forEach(this::reflection);
  }

  @Override
  public void handle(HttpServerRequest request) {
    String type = String.valueOf(request.getHeader("content-type"));
    String encoding = request.getHeader(ENCODING);
    if (type.startsWith(UNSUPPORTED_FORMAT) && !type.equals(PROTOBUF)) {
      reject(request, "the content-type must be application/grpc: " + type);
    } else if (encoding != null && !encoding.equals("identity")) {
      reject(request, "the grpc-encoding must be identity: " + encoding);
    } else {
      // Without an encoding, Vert.x fails at a message that is marked as compressed. With an
      // unknown
      // one, it reports the message as unreadable.
      request.headers().set(ENCODING, "none");
      server.handle(request);
    }
  }

  private static void reject(HttpServerRequest request, String message) {
    if (request.version() != HttpVersion.HTTP_2) {
      var unused = request.response().setStatusCode(415).end();
      return;
    }
    var unused =
        request
            .response()
            .putHeader("content-type", "application/grpc")
            .putHeader("grpc-status", GrpcStatus.UNIMPLEMENTED.toString())
            .putHeader("grpc-message", message.replaceAll("[^ -$&-~]", "?"))
            .putHeader("grpc-accept-encoding", "identity")
            .end();
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
    call.invalidMessageHandler(
        tooLarge -> {
          if (pending.end()) {
            fail(
                response,
                GrpcStatus.RESOURCE_EXHAUSTED,
                "the message must be at most " + MAX_MESSAGE_BYTES + " bytes");
          }
        });
    call.last()
        .onComplete(
            message -> {
              if (pending.end()) {
                handler.handle(message, call);
              }
            },
            unreadable -> {
              if (pending.end()) {
                fail(response, GrpcStatus.INTERNAL, "the call has no message that can be read");
              }
            });
  }

  private void reflection(ServiceName service) {
    GrpcMessageEncoder<ServerReflectionResponse> encoder = GrpcMessageEncoder.encoder();
    server.callHandler(
        ServiceMethod.server(service, "ServerReflectionInfo", encoder, GrpcMessageDecoder.IDENTITY),
        this::reflect);
  }

  /** Answers each message of a call until its client ends it. */
  private void reflect(GrpcServerRequest<Buffer, ServerReflectionResponse> call) {
    GrpcServerResponse<Buffer, ServerReflectionResponse> response = call.response();
    AtomicBoolean ended = new AtomicBoolean();
    call.invalidMessageHandler(tooLarge -> fail(response, GrpcStatus.RESOURCE_EXHAUSTED, ended));
    call.exceptionHandler(reset -> ended.set(true));
    call.messageHandler(
        message -> {
          if (ended.get()) {
            return;
          }
          try {
            if (!message.encoding().equals("identity")) {
              throw new InvalidProtocolBufferException("compressed");
            }
            var unused =
                response.write(
                    reflection.answer(
                        ServerReflectionRequest.parseFrom(message.payload().getBytes())));
            if (response.writeQueueFull()) {
              call.pause();
              response.drainHandler(drained -> call.resume());
            }
          } catch (InvalidProtocolBufferException unreadable) {
            fail(response, GrpcStatus.INTERNAL, ended);
          }
        });
    call.endHandler(
        end -> {
          if (!ended.getAndSet(true)) {
            var unused = response.end();
          }
        });
  }

  private static void fail(
      GrpcServerResponse<?, ?> response, GrpcStatus status, AtomicBoolean ended) {
    if (!ended.getAndSet(true)) {
      fail(response, status, "the call has a message that can't be read");
    }
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
            public void unconfigured() {
              fail(response, GrpcStatus.UNAVAILABLE, "no configuration has been loaded yet");
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
