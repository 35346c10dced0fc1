package io.penstock.server.envoy;

import com.google.protobuf.MessageLite;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.Store;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.http.Gate;
import io.penstock.server.envoy.proto.auth.AttributeContext;
import io.penstock.server.envoy.proto.auth.CheckRequest;
import io.penstock.server.envoy.proto.common.RateLimitDescriptor;
import io.penstock.server.envoy.proto.service.RateLimitRequest;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/**
 * Sends calls to the gRPC services before the process is ready, because Envoy waits for a decision
 * only for some milliseconds. The limits are its own. Not thread-safe.
 */
public final class EnvoyWarmUp implements AutoCloseable {
  private static final String CONFIG =
      """
      domain: warm-up
      descriptors:
        - {key: user, rate_limit: {unit: hour, requests_per_unit: 1000}}
        - {key: path, value: /a*, rate_limit: {unit: second, requests_per_unit: 1000000}}
      """;
  private static final AnswerHeaders HEADERS = new AnswerHeaders(Optional.of(LimitHeaders.DEFAULT));
  private static final EnvoyOptions OPTIONS =
      new EnvoyOptions(
          new EnvoySource.ConfigFiles(Path.of("warm-up")),
          false,
          false,
          false,
          false,
          false,
          HEADERS,
          false,
          false,
          false,
          Duration.ofMillis(10));

  private final EnvoyLimits limits;
  private final GrpcEndpoint endpoint;
  private final HttpClient client;

  /**
   * @param gates creates the gate that limits are decided by
   * @param policyGate decides the requests of external authorization
   */
  public EnvoyWarmUp(
      Vertx vertx,
      Store store,
      Function<PolicyEngine, Gate> gates,
      Gate policyGate,
      MeterRegistry registry,
      long timeoutMillis) {
    this.limits =
        new EnvoyLimits(
            OPTIONS, EnvoyConfigLoader.parse(CONFIG, "warm-up"), store, PolicyObserver.NONE);
    LimitMeters meters = new LimitMeters(registry);
    this.endpoint =
        new GrpcEndpoint(
            vertx,
            new LimitDecisions(limits, gates.apply(limits.engine()), OPTIONS, meters),
            HEADERS,
            meters,
            new AuthorizationEndpoint(policyGate),
            new GrpcHealth(GrpcEndpoint.SERVICES, () -> true),
            timeoutMillis);
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
  }

  /** Returns the handler of a listener to send the calls to. */
  public Handler<HttpServerRequest> handler() {
    return endpoint;
  }

  /**
   * Sends several calls to each service at once, and waits for the responses.
   *
   * @return how many calls succeeded
   */
  public int send(int port, int calls, long timeoutMillis) throws TimeoutException {
    List<Future<Boolean>> pending = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      pending.add(
          send(port, "envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit", ask(i)));
      pending.add(send(port, "envoy.service.auth.v3.Authorization/Check", check()));
    }
    Future.join(pending).await(timeoutMillis, TimeUnit.MILLISECONDS);
    return (int) pending.stream().filter(Future::result).count();
  }

  private Future<Boolean> send(int port, String method, MessageLite message) {
    return client
        .request(HttpMethod.POST, port, "127.0.0.1", "/" + method)
        .compose(
            request ->
                request
                    .putHeader("content-type", "application/grpc")
                    .putHeader("te", "trailers")
                    .send(GrpcFrames.frame(message))
                    // Attached on the event loop, before the response can arrive.
                    .compose(response -> response.body().map(body -> succeeded(response))));
  }

  private static boolean succeeded(HttpClientResponse response) {
    String status = response.getTrailer("grpc-status");
    return "0".equals(status == null ? response.getHeader("grpc-status") : status);
  }

  private static RateLimitRequest ask(int i) {
    RateLimitDescriptor.Entry.Builder user =
        RateLimitDescriptor.Entry.newBuilder().setKey("user").setValue("user-" + i);
    RateLimitDescriptor.Entry.Builder path =
        RateLimitDescriptor.Entry.newBuilder().setKey("path").setValue("/a");
    return RateLimitRequest.newBuilder()
        .setDomain("warm-up")
        .addDescriptors(RateLimitDescriptor.newBuilder().addEntries(user))
        .addDescriptors(RateLimitDescriptor.newBuilder().addEntries(path))
        .build();
  }

  private static CheckRequest check() {
    AttributeContext.HttpRequest.Builder http =
        AttributeContext.HttpRequest.newBuilder()
            .setMethod("GET")
            .setPath("/deny")
            .setHost("localhost")
            .putHeaders("x-forwarded-for", "192.0.2.1");
    return CheckRequest.newBuilder()
        .setAttributes(
            AttributeContext.newBuilder()
                .setRequest(AttributeContext.Request.newBuilder().setHttp(http)))
        .build();
  }

  @Override
  public void close() {
    var unused = client.close();
    limits.close();
  }
}
