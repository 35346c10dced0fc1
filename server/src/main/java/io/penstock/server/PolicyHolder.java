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
import io.penstock.policy.load.ActivePolicy;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the active policy, merged from a file and the database. An invalid change has no effect
 * other than the errors that {@link #active} reports. Thread-safe.
 */
public final class PolicyHolder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PolicyHolder.class);

  private final PolicyEngine engine;
  private final String fileOrigin;
  private final @Nullable PolicyWatcher watcher;
  private final Counter accepted;
  private final Counter rejected;
  private LoadedPolicy file;
  private List<Problem> fileProblems = List.of();
  private List<RuleCandidate> databaseRules = List.of();
  private String databaseOrigin = "";
  private final boolean hasProxy;
  private final boolean hasEnvoy;
  private volatile ActivePolicy active;
  private volatile List<String> listenerWarnings = List.of();
  private volatile boolean loaded;

  /** The sources of rules. */
  public enum RuleSource {
    /** A file, or the sample policy if no file is set. */
    FILE,
    /** The database, and a file if one is set. */
    DATABASE
  }

  /**
   * Where to load rules from.
   *
   * @param path a file or a folder
   * @param hasProxy whether rules apply to requests of a proxy listener
   * @param hasEnvoy whether rules apply to requests of a listener for Envoy
   */
  public record Rules(Optional<Path> path, RuleSource source, boolean hasProxy, boolean hasEnvoy) {
    /** Creates the sources of a server with a decision listener only. */
    public Rules(Optional<Path> path, RuleSource source) {
      this(path, source, false, false);
    }
  }

  /**
   * Loads the policy and starts watching it.
   *
   * @throws PolicyException if the policy is invalid
   */
  public PolicyHolder(Rules rules, Store store, PolicyObserver observer, MeterRegistry registry) {
    Optional<Path> path = rules.path();
    this.hasProxy = rules.hasProxy();
    this.hasEnvoy = rules.hasEnvoy();
    boolean sample = path.isEmpty() && rules.source() == RuleSource.FILE;
    this.fileOrigin = path.map(Path::toString).orElse(sample ? "the sample policy" : "");
    this.watcher = path.map(policy -> new PolicyWatcher(policy, new FileListener())).orElse(null);
    this.loaded = sample || watcher != null;
    this.file = loadInitial(sample);
    this.engine =
        engine(
            store,
            observer,
            JwtObserver.all(
                List.of(new JwtMeters(registry), JwtObserver.logging(LOG::info, LOG::warn))));
    JwtMeters.watch(engine, registry);
    this.active = ActivePolicy.of(file, origin());
    this.accepted = reloads(registry, "accepted");
    this.rejected = reloads(registry, "rejected");
    Gauge.builder("penstock.policy.rules", () -> active.loaded().policy().rules().size())
        .description("Active rules")
        .register(registry);
    Gauge.builder(
            "penstock.policy.loaded.timestamp.seconds", () -> active.since().toEpochMilli() / 1e3)
        .description("Load time of the active policy")
        .register(registry);
    Gauge.builder("penstock.policy.rejected", () -> active.rejected().isEmpty() ? 0 : 1)
        .description("Whether the current policy is invalid and not in effect: 1 or 0")
        .register(registry);
    warn(file);
    warnOfListeners(file.policy());
    if (watcher != null) {
      watcher.start();
    }
  }

  private PolicyEngine engine(Store store, PolicyObserver observer, JwtObserver tokens) {
    try {
      return new PolicyEngine(store, file.policy(), observer, tokens);
    } catch (IllegalArgumentException invalid) {
      throw new PolicyException(List.of(problem(invalid)));
    }
  }

  private Problem problem(RuntimeException reason) {
    return new Problem(
        Problem.Severity.ERROR, Location.of(origin()), "", String.valueOf(reason.getMessage()));
  }

  private LoadedPolicy loadInitial(boolean sample) {
    if (sample) {
      return PolicyLoader.parse(SamplePolicy.text(), SamplePolicy.NAME);
    }
    return watcher == null ? new LoadedPolicy(Policy.of(), List.of(), Map.of()) : watcher.load();
  }

  private static Counter reloads(MeterRegistry registry, String outcome) {
    return Counter.builder("penstock.policy.reloads")
        .description("Policy changes since the start")
        .tag("outcome", outcome)
        .register(registry);
  }

  public PolicyEngine engine() {
    return engine;
  }

  public ActivePolicy active() {
    return active;
  }

  /** Returns whether a policy has been loaded, even one without rules. */
  public boolean isLoaded() {
    return loaded;
  }

  /** Returns the policy of the files, without rules from the database. */
  public synchronized Policy filePolicy() {
    return file.policy();
  }

  /** Returns the name of the files in error messages. */
  public String fileOrigin() {
    return fileOrigin;
  }

  /** Reloads the policy even if it has not changed. */
  public void reload() {
    if (watcher == null) {
      LOG.info("nothing to reload: the policy has no file: {}", origin());
    } else {
      watcher.reload();
    }
  }

  /**
   * Replaces the rules from the database and merges them with those of the file. Each rule is
   * validated separately.
   *
   * @return the merged policy; empty if it was rejected
   */
  public synchronized Optional<MergedPolicy> merge(List<RuleCandidate> candidates, String from) {
    MergedPolicy merged = MergedPolicy.of(file.policy(), fileOrigin, candidates, engine::check);
    String before = databaseOrigin;
    databaseOrigin = from;
    Problem failure = replace(file, merged, fileProblems);
    if (failure != null) {
      databaseOrigin = before;
      List<Problem> all = new ArrayList<>(fileProblems);
      all.add(failure);
      reject(List.of(failure), all, null);
      return Optional.empty();
    }
    databaseRules = candidates;
    loaded = true;
    merged.problems().forEach(problem -> LOG.error("rule rejected: {}", problem));
    return Optional.of(merged);
  }

  private synchronized String origin() {
    if (databaseOrigin.isEmpty()) {
      return fileOrigin;
    }
    return fileOrigin.isEmpty() ? databaseOrigin : fileOrigin + " and " + databaseOrigin;
  }

  /**
   * Activates a policy; returns the problem if the engine rejects it.
   *
   * @param problemsOfFile why a later version of the file is not active
   */
  private @Nullable Problem replace(
      LoadedPolicy fromFile, MergedPolicy merged, List<Problem> problemsOfFile) {
    String removed = RemovedRules.warning(engine.policy(), merged.policy());
    List<String> rejectedOverrides;
    try {
      rejectedOverrides = engine.replace(merged.policy());
    } catch (RuntimeException e) {
      return problem(e);
    }
    List<Problem> problems = new ArrayList<>(problemsOfFile);
    problems.addAll(merged.problems());
    List<Problem> warnings = new ArrayList<>(fromFile.warnings());
    warnings.addAll(merged.warnings());
    Set<Problem> known = new HashSet<>(active.loaded().warnings());
    file = fromFile;
    fileProblems = problemsOfFile;
    active =
        new ActivePolicy(
            new LoadedPolicy(merged.policy(), warnings, fromFile.locations()),
            origin(),
            Instant.now(),
            problems);
    accepted.increment();
    LOG.info("policy reloaded: {} (rules: {})", origin(), merged.policy().rules().size());
    if (removed != null) {
      LOG.warn("{}: {}", origin(), removed);
    }
    rejectedOverrides.forEach(reason -> LOG.warn("override of a key has no effect: {}", reason));
    merged.warnings().stream()
        .filter(warning -> !known.contains(warning))
        .forEach(warning -> LOG.warn("{}", warning));
    warnOfListeners(merged.policy());
    return null;
  }

  private synchronized void rejectFile(List<Problem> problems, @Nullable Throwable cause) {
    List<Problem> all = new ArrayList<>(problems);
    active.rejected().stream().filter(problem -> !fileProblems.contains(problem)).forEach(all::add);
    fileProblems = problems;
    reject(problems, all, cause);
  }

  private void reject(List<Problem> problems, List<Problem> all, @Nullable Throwable cause) {
    active = active.withRejected(all);
    rejected.increment();
    problems.forEach(problem -> LOG.error("policy rejected: {}", problem, cause));
    LOG.error("the policy loaded at {} stays active", active.since());
  }

  private static void warn(LoadedPolicy loaded) {
    loaded.warnings().forEach(warning -> LOG.warn("{}", warning));
  }

  /** Logs the rules that can't apply at a listener, unless they were logged before. */
  private void warnOfListeners(Policy policy) {
    List<String> before = listenerWarnings;
    listenerWarnings = ListenerWarnings.of(policy, hasProxy, hasEnvoy);
    listenerWarnings.stream()
        .filter(warning -> !before.contains(warning))
        .forEach(warning -> LOG.warn("{}", warning));
  }

  /** Returns which rules can't apply at which listener, one line for each. */
  public List<String> listenerWarnings() {
    return listenerWarnings;
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.close();
    }
    engine.close();
  }

  /** Applies changes of the file. */
  private final class FileListener implements PolicyWatcher.PolicyListener {
    @Override
    public void onLoaded(LoadedPolicy changed) {
      synchronized (PolicyHolder.this) {
        MergedPolicy merged =
            MergedPolicy.of(changed.policy(), fileOrigin, databaseRules, engine::check);
        Problem failure = replace(changed, merged, List.of());
        if (failure == null) {
          warn(changed);
        } else {
          rejectFile(List.of(failure), null);
        }
      }
    }

    @Override
    public void onRejected(PolicyException reasons) {
      rejectFile(reasons.problems(), reasons.getCause());
    }
  }
}
