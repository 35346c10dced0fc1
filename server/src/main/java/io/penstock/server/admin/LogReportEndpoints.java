package io.penstock.server.admin;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.accesslog.AccessLogException;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.advice.Advice;
import io.penstock.policy.advice.AdviceJson;
import io.penstock.policy.advice.AdviceOptions;
import io.penstock.policy.advice.AdvicePolicy;
import io.penstock.policy.advice.Advisor;
import io.penstock.policy.advice.PathFolding;
import io.penstock.policy.http.Json;
import io.penstock.policy.load.ActivePolicy;
import io.penstock.policy.replay.Replay;
import io.penstock.policy.replay.ReplayJson;
import io.penstock.policy.replay.ReplayReport;
import io.penstock.server.PolicyHolder;
import io.penstock.server.http.Bodies;
import io.penstock.server.http.JsonResponses;
import io.penstock.server.http.ProblemResponses;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.ByteArrayInputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints that replay a sample of an access log under the active policy, and that suggest
 * limits from it. They change nothing. Thread-safe.
 *
 * <p>A sample is limited in size and in the number of requests, and only one is admitted at a time,
 * because each request may have a key of its own in every rule.
 */
public final class LogReportEndpoints {
  private static final int MAX_BODY_BYTES = 8 << 20;
  private static final long MAX_LOG_BYTES = 32 << 20;
  static final int MAX_REQUESTS = 100_000;
  private static final int MAX_GROUPS = 100;

  private final Vertx vertx;
  private final Bodies bodies;
  private final PolicyHolder policyHolder;
  private final AtomicBoolean isBusy = new AtomicBoolean();

  public LogReportEndpoints(Vertx vertx, Bodies bodies, PolicyHolder policyHolder) {
    this.vertx = vertx;
    this.bodies = bodies.upTo(MAX_BODY_BYTES);
    this.policyHolder = policyHolder;
  }

  void replay(HttpServerRequest request) {
    if (Parameters.of(request, Set.of()).validOrRespond()) {
      admit(request, this::replay);
    }
  }

  private byte[] replay(Buffer log) {
    ActivePolicy active = policyHolder.active();
    ReplayReport report =
        new Replay(active.origin(), active.loaded().policy())
            .run(stream(log, Replay.attributes(active.loaded().policy())));
    return Json.bytes(json -> ReplayJson.write(report, json));
  }

  void advise(HttpServerRequest request) {
    Parameters parameters = Parameters.of(request, Set.of("key", "per", "spare"));
    AdviceOptions options = parameters.validOrRespond() ? options(request, parameters) : null;
    if (options != null) {
      admit(request, log -> advise(log, options));
    }
  }

  private static @Nullable AdviceOptions options(HttpServerRequest request, Parameters parameters) {
    String key = parameters.text("key");
    String per = parameters.text("per");
    String spare = parameters.text("spare");
    try {
      return new AdviceOptions(
          List.of(KeyPart.parse(key == null ? "ip:address" : key)),
          per == null
              ? List.of()
              : (per.equals("endpoint") ? Stream.of("method", "path") : Stream.of(per))
                  .map(Attribute::parse)
                  .toList(),
          spare == null ? 99 : Double.parseDouble(spare),
          MAX_GROUPS,
          new PathFolding(true, List.of()));
    } catch (IllegalArgumentException e) {
      ProblemResponses.end(
          request.response(), 400, "Bad Request", "key, per or spare: " + e.getMessage());
      return null;
    }
  }

  private static byte[] advise(Buffer log, AdviceOptions options) {
    Advice advice = new Advisor(options).run(stream(log, options.attributes()));
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeFieldName("advice");
          AdviceJson.write(advice, json);
          json.writeStringField(
              "policy", advice.hasKeys() ? new AdvicePolicy(advice, "balanced").text() : null);
          json.writeEndObject();
        });
  }

  private static LogStream stream(Buffer log, Collection<Attribute> attributes) {
    LogSource source = LogSource.of("sample", new ByteArrayInputStream(log.getBytes()));
    LogFields fields = new LogFields(attributes, Map.of());
    return new LogStream(List.of(source), LogOptions.of(fields).upTo(MAX_LOG_BYTES, MAX_REQUESTS));
  }

  private void admit(HttpServerRequest request, Function<Buffer, byte[]> report) {
    HttpServerResponse response = request.response();
    if (!isBusy.compareAndSet(false, true)) {
      ProblemResponses.end(
          response.putHeader("Retry-After", "1"),
          503,
          "Service Unavailable",
          "Only one log is read at a time");
      return;
    }
    AtomicBoolean hasBody = new AtomicBoolean();
    response.endHandler(
        ended -> {
          if (hasBody.compareAndSet(false, true)) {
            isBusy.set(false);
          }
        });
    bodies.read(
        request,
        body -> {
          if (hasBody.compareAndSet(false, true)) {
            run(response, body, report);
          }
        });
  }

  private void run(HttpServerResponse response, Buffer body, Function<Buffer, byte[]> report) {
    vertx
        .executeBlocking(() -> report.apply(body), true)
        .onComplete(done -> isBusy.set(false))
        .onSuccess(
            json ->
                response
                    .putHeader("Content-Type", JsonResponses.TYPE)
                    .putHeader("Cache-Control", "no-store")
                    .end(Buffer.buffer(json)))
        .onFailure(
            failure -> {
              if (failure instanceof AccessLogException unreadable) {
                ProblemResponses.end(
                    response, 400, "Bad Request", String.valueOf(unreadable.getMessage()));
              } else {
                throw new IllegalStateException("cannot read a log", failure);
              }
            });
  }
}
