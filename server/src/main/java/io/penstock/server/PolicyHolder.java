package io.penstock.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.Store;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.SamplePolicy;
import io.penstock.policy.jwt.JwtObserver;
import io.penstock.policy.load.LoadedPolicy;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.MergedPolicy;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.PolicyWatcher;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.RemovedRules;
import io.penstock.policy.load.RuleCandidate;
import io.penstock.policy.metrics.JwtMeters;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the policy of its file in force, and rules from elsewhere with it. What can't be used
 * changes nothing but what {@link #inForce} says about it. Thread-safe.
 */
public final class PolicyHolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyHolder.class);

  private final PolicyEngine engine;
  private final boolean canBeLocal;
  private final String fileOrigin;
  private final @Nullable PolicyWatcher watcher;
  private final Counter accepted;
  private final Counter refused;
  private LoadedPolicy file;
  private List<Problem> fileProblems = List.of();
  private List<RuleCandidate> elsewhere = List.of();
  private String elsewhereOrigin = "";
  private volatile ActivePolicy inForce;
  private volatile boolean loaded;

  /** Where rules are from. */
  public enum RuleSource {
    /** A file, or the sample policy if there is none. */
    FILE,
    /** A file if there is one, and elsewhere. */
    ELSEWHERE
  }

  /**
   * What to keep.
   *
   * @param path a file or a folder
   * @param canBeLocal whether rules may have {@code on_store_failure: local}
   */
  public record Rules(Optional<Path> path, RuleSource source, boolean canBeLocal) {}

  /**
   * Loads the policy and watches it from now on.
   *
   * @throws PolicyException if it can't be used
   */
  public PolicyHolder(Rules rules, Store store, PolicyObserver observer, MeterRegistry registry) {
    Optional<Path> path = rules.path();
    boolean sample = path.isEmpty() && rules.source() == RuleSource.FILE;
    this.canBeLocal = rules.canBeLocal();
    this.fileOrigin = path.map(Path::toString).orElse(sample ? "the sample policy" : "");
    this.watcher = path.map(policy -> new PolicyWatcher(policy, new Changes())).orElse(null);
    this.loaded = sample || watcher != null;
    this.file = first(sample);
    List<Problem> unusable = unusable(file.policy());
    if (!unusable.isEmpty()) {
      throw new PolicyException(unusable);
    }
    this.engine =
        engine(store, observer, JwtObserver.all(List.of(new JwtMeters(registry), new KeyLog())));
    JwtMeters.watch(engine, registry);
    this.inForce = new ActivePolicy(file, origin(), Instant.now(), List.of());
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
    warn(file);
    if (watcher != null) {
      watcher.start();
    }
  }

  private PolicyEngine engine(Store store, PolicyObserver observer, JwtObserver tokens) {
    try {
      return new PolicyEngine(store, file.policy(), observer, tokens);
    } catch (IllegalArgumentException unusable) {
      throw new PolicyException(List.of(problem(unusable)));
    }
  }

  private Problem problem(RuntimeException reason) {
    return new Problem(
        Problem.Severity.ERROR, Location.of(origin()), "", String.valueOf(reason.getMessage()));
  }

  private LoadedPolicy first(boolean sample) {
    if (sample) {
      return PolicyLoader.parse(SamplePolicy.text(), SamplePolicy.NAME);
    }
    return watcher == null ? new LoadedPolicy(Policy.of(), List.of()) : watcher.load();
  }

  /** What is wrong with a policy that is well written, because of the settings. */
  private List<Problem> unusable(Policy policy) {
    return canBeLocal ? List.of() : LocalRules.withoutNodes(policy, fileOrigin);
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

  public ActivePolicy inForce() {
    return inForce;
  }

  /** Whether there has been a policy, be it one without rules. */
  public boolean isLoaded() {
    return loaded;
  }

  /** The policy of the files alone. */
  public synchronized Policy ofFiles() {
    return file.policy();
  }

  /** How problems call the files. */
  public String fileOrigin() {
    return fileOrigin;
  }

  /** Reads the policy again, whether or not it has changed. */
  public void reload() {
    if (watcher == null) {
      LOG.info("nothing to reload: the policy is {}", origin());
    } else {
      watcher.reload();
    }
  }

  /**
   * Puts rules from elsewhere in force beside those of the file, in place of the ones before. Each
   * is judged by itself.
   *
   * @return what has come of it; empty if nothing could be put in force
   */
  public synchronized Optional<MergedPolicy> join(List<RuleCandidate> candidates, String from) {
    MergedPolicy joint = MergedPolicy.of(file.policy(), fileOrigin, candidates, engine::check);
    String before = elsewhereOrigin;
    elsewhereOrigin = from;
    if (!replace(file, joint)) {
      elsewhereOrigin = before;
      return Optional.empty();
    }
    elsewhere = candidates;
    loaded = true;
    joint.problems().forEach(problem -> LOG.error("rule not used: {}", problem));
    return Optional.of(joint);
  }

  private synchronized String origin() {
    if (elsewhereOrigin.isEmpty()) {
      return fileOrigin;
    }
    return fileOrigin.isEmpty() ? elsewhereOrigin : fileOrigin + " and " + elsewhereOrigin;
  }

  private boolean replace(LoadedPolicy ofFile, MergedPolicy joint) {
    String removed = RemovedRules.warning(engine.policy(), joint.policy());
    try {
      engine.replace(joint.policy());
    } catch (RuntimeException e) {
      reject(List.of(problem(e)));
      return false;
    }
    List<Problem> problems = new ArrayList<>(fileProblems);
    problems.addAll(joint.problems());
    List<Problem> warnings = new ArrayList<>(ofFile.warnings());
    warnings.addAll(joint.warnings());
    Set<Problem> known = new HashSet<>(inForce.loaded().warnings());
    file = ofFile;
    inForce =
        new ActivePolicy(
            new LoadedPolicy(joint.policy(), warnings), origin(), Instant.now(), problems);
    accepted.increment();
    LOG.info("policy reloaded: {} (rules: {})", origin(), joint.policy().rules().size());
    if (removed != null) {
      LOG.warn("{}: {}", origin(), removed);
    }
    joint.warnings().stream()
        .filter(warning -> !known.contains(warning))
        .forEach(warning -> LOG.warn("{}", warning));
    return true;
  }

  private synchronized void reject(List<Problem> problems) {
    List<Problem> all = new ArrayList<>(problems);
    inForce.rejected().stream()
        .filter(problem -> !fileProblems.contains(problem))
        .forEach(all::add);
    fileProblems = problems;
    inForce = inForce.butNot(all);
    refused.increment();
    problems.forEach(problem -> LOG.error("policy not used: {}", problem));
    LOG.error("the policy loaded at {} stays in force", inForce.since());
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

  /** Says when the keys of tokens can't be fetched, and when they can again. */
  private static final class KeyLog implements JwtObserver {
    @Override
    public void keysChanged(boolean working, String message) {
      if (working) {
        LOG.info("{}", message);
      } else {
        LOG.warn("{}", message);
      }
    }
  }

  /** What becomes of the file. */
  private final class Changes implements PolicyWatcher.PolicyListener {
    @Override
    public void onLoaded(LoadedPolicy changed) {
      synchronized (PolicyHolder.this) {
        List<Problem> unusable = unusable(changed.policy());
        if (!unusable.isEmpty()) {
          reject(unusable);
          return;
        }
        MergedPolicy joint =
            MergedPolicy.of(changed.policy(), fileOrigin, elsewhere, engine::check);
        fileProblems = List.of();
        if (replace(changed, joint)) {
          warn(changed);
        }
      }
    }

    @Override
    public void onRejected(PolicyException reasons) {
      reject(reasons.problems());
    }
  }
}
