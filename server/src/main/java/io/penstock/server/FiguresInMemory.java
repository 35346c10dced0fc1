package io.penstock.server;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.NanoClock;
import io.penstock.policy.http.GateObserver;
import io.penstock.policy.metrics.DecisionMeters;
import io.penstock.server.admin.LiveFigures;
import io.penstock.server.admin.StreamEndpoint;
import io.penstock.server.database.RecentViolations;
import io.penstock.server.figures.CountSource;
import io.penstock.server.figures.DecisionCounts;
import io.penstock.server.figures.DecisionTimeline;
import io.penstock.server.figures.FigureSampler;
import io.penstock.server.figures.TopDenied;
import io.penstock.server.metrics.DecisionLatency;
import io.penstock.server.metrics.RuleLatency;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Everything that a process keeps in memory about its decisions, for operators. Thread-safe. */
final class FiguresInMemory implements AutoCloseable {
  /**
   * A system property that benchmarks set to false, to measure what figures cost: then nothing is
   * counted or sampled. It is not a setting.
   */
  private static final String SWITCH = "penstock.figures";

  private final boolean isCollecting = !"false".equals(System.getProperty(SWITCH));
  private final FigureSampler sampler = new FigureSampler();
  private final InstantSource time = Clock.systemUTC();
  private final DecisionLatency latency;
  private final RuleLatency ruleLatency = new RuleLatency();
  private final TopDenied topDenied;
  private final DecisionTimeline timeline;
  private final Optional<RecentViolations> violations;
  private final AtomicReference<@Nullable StreamEndpoint> stream = new AtomicReference<>();

  /** Creates the figures; they are not updated before {@link #start}. */
  FiguresInMemory(Settings settings, DecisionMeters meters, PrometheusMeterRegistry registry) {
    this.latency = new DecisionLatency(registry);
    this.topDenied = new TopDenied(NanoClock.system(), time, sampler);
    this.timeline = new DecisionTimeline(new ProcessCounts(meters), NanoClock.system(), time);
    this.violations =
        isCollecting && settings.recordsViolations() && settings.postgres().isEmpty()
            ? Optional.of(new RecentViolations(settings.violationsUser()))
            : Optional.empty();
    if (isCollecting) {
      sampler.add(topDenied::drain);
      sampler.add(timeline::sample);
    }
    violations.ifPresent(recent -> sampler.add(recent::collect));
  }

  /** Starts to update the figures once a second. */
  void start() {
    sampler.start();
  }

  /** Returns what has to observe decisions. */
  List<GateObserver> observers() {
    List<GateObserver> observers = new ArrayList<>(List.of(latency));
    if (isCollecting) {
      observers.add(ruleLatency);
      observers.add(topDenied);
    }
    violations.ifPresent(recent -> observers.add(recent.denials()));
    return observers;
  }

  TopDenied topDenied() {
    return topDenied;
  }

  DecisionTimeline timeline() {
    return timeline;
  }

  /** Returns the violations in memory; empty if there is a database, or if none are recorded. */
  Optional<RecentViolations> violations() {
    return violations;
  }

  /** Returns the current figures of everything. */
  LiveFigures live(PolicyHolder policyHolder, ModeSwitch modes, LiveFigures.StoreFigures store) {
    return new LiveFigures(policyHolder, modes, store, topDenied, timeline, time);
  }

  /** Opens the stream of live figures. */
  StreamEndpoint openStream(Vertx vertx, LiveFigures live) {
    StreamEndpoint opened = new StreamEndpoint(vertx, sampler, live::bytes);
    sampler.add(opened::publish);
    stream.set(opened);
    return opened;
  }

  /** Ends the stream of live figures, if it is open. */
  void closeStream() {
    StreamEndpoint open = stream.getAndSet(null);
    if (open != null) {
      open.close();
    }
  }

  @Override
  public void close() {
    sampler.close();
  }

  /** The counters of this process. */
  private final class ProcessCounts implements CountSource {
    private final DecisionMeters meters;
    private long allowed;

    ProcessCounts(DecisionMeters meters) {
      this.meters = meters;
    }

    @Override
    public void forEachRule(BiConsumer<String, DecisionCounts> action) {
      meters.forEachRule(
          rule ->
              action.accept(
                  rule.rule(),
                  new DecisionCounts(
                      rule.allowed(), rule.denied(), rule.degraded(), rule.shadowDenied())));
    }

    /** Never decreases, even if requests are denied that were allowed after a delay. */
    @Override
    public synchronized DecisionCounts requests() {
      // The denials first: a request is decided before it is counted as denied.
      long denied = topDenied.total() + latency.rejectedPaths();
      long decided = Arrays.stream(latency.counts()).sum();
      long[] ofRules = new long[2];
      meters.forEachRule(
          rule -> {
            ofRules[0] += rule.degraded();
            ofRules[1] += rule.shadowDenied();
          });
      allowed = Math.max(allowed, decided - denied);
      return new DecisionCounts(allowed, denied, ofRules[0], ofRules[1]);
    }

    @Override
    public long[] latencies() {
      return latency.counts();
    }

    @Override
    public long @Nullable [] latencies(String rule) {
      return ruleLatency.counts(rule);
    }
  }
}
