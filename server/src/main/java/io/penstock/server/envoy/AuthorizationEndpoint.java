package io.penstock.server.envoy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.address.Headers;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.HttpAnswer;
import io.penstock.policy.http.RequestLine;
import io.penstock.server.envoy.proto.auth.AttributeContext;
import io.penstock.server.envoy.proto.auth.CheckRequest;
import io.penstock.server.envoy.proto.auth.CheckResponse;
import io.penstock.server.envoy.proto.auth.DeniedHttpResponse;
import io.penstock.server.envoy.proto.auth.OkHttpResponse;
import io.penstock.server.envoy.proto.core.HeaderValue;
import io.penstock.server.envoy.proto.core.HeaderValueOption;
import io.penstock.server.envoy.proto.rpc.Status;
import io.penstock.server.envoy.proto.type.HttpStatus;
import io.penstock.server.http.RequestHeaders;
import io.penstock.server.vertx.VertxInternals;
import io.vertx.core.MultiMap;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Decides HTTP requests by the policy on behalf of Envoy's external authorization, as forward-auth
 * does for other proxies. Thread-safe.
 */
final class AuthorizationEndpoint {
  private final Gate gate;

  AuthorizationEndpoint(Gate gate) {
    this.gate = gate;
  }

  void check(CheckRequest message, GrpcServerRequest<CheckRequest, CheckResponse> call) {
    AttributeContext attributes = message.getAttributes();
    AttributeContext.HttpRequest http = attributes.getRequest().getHttp();
    IpAddress peer = peer(attributes, call);
    if (peer == null || http.getMethod().isEmpty()) {
      GrpcEndpoint.fail(
          call.response(),
          GrpcStatus.INVALID_ARGUMENT,
          "attributes.source.address and attributes.request.http must be set");
      return;
    }
    if (isRejected(http)) {
      respond(Verdict.PATH_REJECTED, call);
      return;
    }
    Headers headers = new RequestHeaders(headers(http));
    Request request =
        gate.requestBehind(
            () -> peer, RequestLine.of(http.getMethod(), http.getPath(), http.getHost()), headers);
    gate.decide(
        request,
        VertxInternals::eventLoop,
        new Gate.VerdictHandler() {
          @Override
          public void decided(Verdict verdict) {
            // Envoy waits for a fifth of a second by default, which is too short to hold requests.
            respond(verdict.delay().isZero() ? verdict : gate.denyDelayed(request, verdict), call);
          }

          @Override
          public void undecided() {
            GrpcEndpoint.undecided(call.response());
          }
        });
  }

  /** Returns the client of Envoy, or Envoy itself. */
  private static @Nullable IpAddress peer(
      AttributeContext attributes, GrpcServerRequest<?, ?> call) {
    IpAddress source =
        IpAddress.parse(attributes.getSource().getAddress().getSocketAddress().getAddress());
    String envoy = call.connection().remoteAddress().hostAddress();
    return source != null || envoy == null ? source : IpAddress.parse(envoy);
  }

  /** Origins interpret such targets in different ways. */
  private static boolean isRejected(AttributeContext.HttpRequest http) {
    String path = http.getPath();
    boolean known =
        path.startsWith("/") || (path.equals("*") && http.getMethod().equals("OPTIONS"));
    return !known || path.indexOf('#') >= 0;
  }

  /**
   * Returns the headers. In a map, Envoy joins repeated ones by a comma without a space. They are
   * separated again, so that a client can't change a key by sending a header twice.
   */
  private static MultiMap headers(AttributeContext.HttpRequest http) {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    for (HeaderValue header : http.getHeaderMap().getHeadersList()) {
      String value =
          header.getRawValue().isEmpty() ? header.getValue() : header.getRawValue().toStringUtf8();
      add(header.getKey(), value, headers);
    }
    http.getHeadersMap()
        .forEach(
            (name, value) -> {
              for (String each : value.split(",(?! )", -1)) {
                add(name, each, headers);
              }
            });
    return headers;
  }

  private static void add(String name, String value, MultiMap headers) {
    if (!name.isEmpty() && !name.startsWith(":")) {
      headers.add(name, value);
    }
  }

  private void respond(Verdict verdict, GrpcServerRequest<CheckRequest, CheckResponse> call) {
    CheckResponse.Builder response = CheckResponse.newBuilder();
    if (verdict.allowed()) {
      OkHttpResponse.Builder allowed = OkHttpResponse.newBuilder();
      gate.responses()
          .headers(verdict, (name, value) -> allowed.addResponseHeadersToAdd(header(name, value)));
      response.setStatus(status(GrpcStatus.OK)).setOkResponse(allowed);
    } else {
      DeniedHttpResponse.Builder denied = DeniedHttpResponse.newBuilder();
      HttpAnswer answer =
          gate.responses().deny(verdict, (name, value) -> denied.addHeaders(header(name, value)));
      denied
          .setStatus(HttpStatus.newBuilder().setCodeValue(answer.status()))
          .setBody(new String(answer.body(), UTF_8));
      response.setStatus(status(GrpcStatus.PERMISSION_DENIED)).setDeniedResponse(denied);
    }
    var unused = call.response().end(response.build());
  }

  private static Status status(GrpcStatus status) {
    return Status.newBuilder().setCode(status.code).build();
  }

  private static HeaderValueOption header(String name, String value) {
    return HeaderValueOption.newBuilder()
        .setHeader(HeaderValue.newBuilder().setKey(name).setValue(value))
        .setAppendAction(HeaderValueOption.HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD)
        .build();
  }
}
