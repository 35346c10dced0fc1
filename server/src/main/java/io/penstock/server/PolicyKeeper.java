package io.penstock.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.Store;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.SamplePolicy;
import io.penstock.policy.load.LoadedPolicy;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.PolicyWatcher;
import io.penstock.policy.load.Problem;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the policy of its file in force. A file that can't be used changes nothing but what {@link
 * #inForce} says about it. Thread-safe.
 */
public final class PolicyKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyKeeper.class);

  private final PolicyEngine engine;
  private final String origin;
  private final @Nullable PolicyWatcher watcher;
  private final Counter accepted;
  private final Counter refused;
  private volatile PolicyInForce inForce;

  /**
   * Loads the policy and watches it from now on.
   *
   * @param file a file or a folder; the sample policy if there is none
   * @throws PolicyException if it can't be used
   */
  public PolicyKeeper(
      Optional<Path> file, Store store, PolicyObserver observer, MeterRegistry registry) {
    this.origin = file.map(Path::toString).orElse("the sample policy");
    this.watcher = file.map(path -> new PolicyWatcher(path, new Changes())).orElse(null);
    LoadedPolicy loaded =
        watcher == null
            ? PolicyLoader.parse(SamplePolicy.text(), SamplePolicy.NAME)
            : watcher.load();
    this.engine = new PolicyEngine(store, loaded.policy(), observer);
    this.inForce = new PolicyInForce(loaded, origin, Instant.now(), List.of());
    this.accepted = reloads(registry, "accepted");
    this.refused = reloads(registry, "rejected");
    Gauge.builder("penstock.policy.rules", () -> inForce.loaded().policy().rules().size())
        .description("How many rules are in force")
        .register(registry);
    Gauge.builder(
            "penstock.policy.loaded.timestamp.seconds", () -> inForce.since().toEpochMilli() / 1e3)
        .description("When the policy in force was loaded")
        .register(registry);
    Gauge.builder("penstock.policy.rejected", () -> inForce.rejected().isEmpty() ? 0 : 1)
        .description("Whether what is there now can't be used: 1 or 0")
        .register(registry);
    warn(loaded);
    if (watcher != null) {
      watcher.start();
    }
  }

  private static Counter reloads(MeterRegistry registry, String outcome) {
    return Counter.builder("penstock.policy.reloads")
        .description("Changes of the policy since the start")
        .tag("outcome", outcome)
        .register(registry);
  }

  public PolicyEngine engine() {
    return engine;
  }

  public PolicyInForce inForce() {
    return inForce;
  }

  /** Reads the policy again, whether or not it has changed. */
  public void reload() {
    if (watcher == null) {
      LOG.info("nothing to reload: the policy is {}", origin);
    } else {
      watcher.reload();
    }
  }

  private static void warn(LoadedPolicy loaded) {
    loaded.warnings().forEach(warning -> LOG.warn("{}", warning));
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.close();
    }
    engine.close();
  }

  /** What becomes of the file. */
  private final class Changes implements PolicyWatcher.Listener {
    @Override
    public void onLoaded(LoadedPolicy loaded) {
      try {
        engine.replace(loaded.policy());
      } catch (RuntimeException e) {
        reject(
            List.of(
                new Problem(
                    Problem.Severity.ERROR,
                    Location.of(origin),
                    "",
                    String.valueOf(e.getMessage()))));
        return;
      }
      inForce = new PolicyInForce(loaded, origin, Instant.now(), List.of());
      accepted.increment();
      warn(loaded);
      LOG.info("policy reloaded: {} rules from {}", loaded.policy().rules().size(), origin);
    }

    @Override
    public void onRejected(PolicyException reasons) {
      reject(reasons.problems());
    }

    private void reject(List<Problem> problems) {
      inForce = inForce.butNot(problems);
      refused.increment();
      problems.forEach(problem -> LOG.error("policy not used: {}", problem));
      LOG.error("the policy loaded at {} stays in force", inForce.since());
    }
  }
}
