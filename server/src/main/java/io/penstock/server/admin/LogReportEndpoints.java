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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The endpoints that replay a sample of an access log under the active policy, and that suggest
 * limits from it. They change nothing. Thread-safe.
 *
 * <p>A sample is limited in size and in the number of requests. Only a few are accepted at a time,
 * and only one of them is read at a time, once it has arrived completely, because each request may
 * have a key of its own in every rule.
 */
public final class LogReportEndpoints {
  private static final int MAX_BODY_BYTES = 8 << 20;
  private static final long MAX_LOG_BYTES = 32 << 20;
  static final int MAX_REQUESTS = 100_000;
  static final int MAX_PENDING = 4;
  private static final int MAX_GROUPS = 100;
  private static final int MAX_PATTERNS = 100;

  private final WorkerCalls calls;
  private final Bodies bodies;
  private final PolicyHolder policyHolder;
  private final AtomicInteger pending = new AtomicInteger();

  public LogReportEndpoints(Vertx vertx, Bodies bodies, PolicyHolder policyHolder) {
    this.calls = new WorkerCalls(vertx);
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
    Parameters parameters =
        Parameters.of(request, Set.of("key", "per", "spare", "fold", "fold_ids"));
    boolean unused = parameters.flag("fold_ids");
    AdviceOptions options = parameters.validOrRespond() ? options(request, parameters) : null;
    if (options != null) {
      admit(request, log -> advise(log, options));
    }
  }

  private static @Nullable AdviceOptions options(HttpServerRequest request, Parameters parameters) {
    String key = parameters.text("key");
    String per = parameters.text("per");
    String spare = parameters.text("spare");
    String fold = parameters.text("fold");
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
          new PathFolding(
              !"false".equals(parameters.text("fold_ids")),
              fold == null ? List.of() : patterns(fold)));
    } catch (IllegalArgumentException e) {
      ProblemResponses.end(
          request.response(), 400, "Bad Request", "key, per, spare or fold: " + e.getMessage());
      return null;
    }
  }

  /** Paths have no spaces, so these separate patterns. */
  private static List<String> patterns(String text) {
    List<String> patterns = Stream.of(text.split(" ")).filter(each -> !each.isEmpty()).toList();
    if (patterns.size() > MAX_PATTERNS) {
      throw new IllegalArgumentException("at most " + MAX_PATTERNS + " patterns");
    }
    for (String pattern : patterns) {
      if (!pattern.startsWith("/") && !pattern.startsWith("*")) {
        throw new IllegalArgumentException("a pattern must begin with / or *: " + pattern);
      }
    }
    return patterns;
  }

  private static byte[] advise(Buffer log, AdviceOptions options) {
    Advice advice = new Advisor(options).run(stream(log, options.attributes()));
    return Json.bytes(
        json -> {
          json.writeStartObject();
          json.writeFieldName("advice");
          AdviceJson.write(advice, json);
          AdvicePolicy policy = advice.hasKeys() ? new AdvicePolicy(advice, "balanced") : null;
          json.writeStringField("policy", policy == null ? null : policy.text());
          json.writeStringField("cases", policy == null ? null : policy.cases("policy.yaml"));
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
    if (pending.incrementAndGet() > MAX_PENDING) {
      pending.decrementAndGet();
      ProblemResponses.end(
          response.putHeader("Retry-After", "1"),
          503,
          "Service Unavailable",
          "At most " + MAX_PENDING + " logs are accepted at a time");
      return;
    }
    AtomicBoolean hasBody = new AtomicBoolean();
    response.endHandler(
        ended -> {
          if (hasBody.compareAndSet(false, true)) {
            pending.decrementAndGet();
          }
        });
    bodies.read(
        request,
        body -> {
          if (hasBody.compareAndSet(false, true)) {
            calls.respond(
                request,
                () -> report.apply(body),
                json -> end(response, json),
                failure -> failure instanceof AccessLogException ? failure.getMessage() : null,
                pending::decrementAndGet);
          }
        });
  }

  private static void end(HttpServerResponse response, byte[] json) {
    response
        .putHeader("Content-Type", JsonResponses.TYPE)
        .putHeader("Cache-Control", "no-store")
        .end(Buffer.buffer(json));
  }
}
