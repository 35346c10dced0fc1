package io.penstock.spring;

import io.penstock.Buckets;
import io.penstock.FailurePolicy;
import io.penstock.Store;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.Rule;
import io.penstock.policy.jwt.JwtObserver;
import io.penstock.policy.load.LoadedPolicy;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.PolicyWatcher;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.RemovedRules;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;

/**
 * Keeps the policy of an application in force, and that of a file up to date. What can't be used
 * changes nothing but what {@link #rejected} says. Thread-safe.
 */
public final class LivePolicy implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LivePolicy.class);

  private final PolicyEngine engine;
  private final Store store;
  private final String origin;
  private final UnaryOperator<Policy> settings;
  private final @Nullable PolicyWatcher watcher;
  private volatile PolicyState state;

  private record PolicyState(Instant since, List<Problem> warnings, List<Problem> rejected) {
    static PolicyState of(LoadedPolicy loaded) {
      return new PolicyState(Instant.now(), loaded.warnings(), List.of());
    }
  }

  /**
   * Loads the policy; a file or folder is watched from now on.
   *
   * @param settings what the application's settings make of a policy
   * @throws PolicyException if it can't be used
   * @throws IllegalArgumentException if the store can't do what it says
   */
  LivePolicy(
      Resource source,
      Store store,
      PolicyObserver observer,
      List<JwtObserver> jwtObservers,
      UnaryOperator<Policy> settings) {
    this.origin = source.getDescription();
    this.store = store;
    this.settings = settings;
    this.watcher = watcher(source);
    LoadedPolicy loaded = watcher == null ? parse(source) : watcher.load();
    List<JwtObserver> told = new ArrayList<>(jwtObservers);
    told.add(new KeyLog());
    this.engine =
        new PolicyEngine(
            store, usable(settings.apply(loaded.policy()), store), observer, JwtObserver.all(told));
    this.state = PolicyState.of(loaded);
    warn(loaded);
    LOG.info("policy: {} (rules: {})", origin, loaded.policy().rules().size());
    if (watcher != null) {
      watcher.start();
    }
  }

  /** What is in a jar doesn't change, and has no path. */
  private @Nullable PolicyWatcher watcher(Resource source) {
    try {
      return source.isFile() && !(source instanceof ClassPathResource)
          ? new PolicyWatcher(source.getFile().toPath(), new Changes())
          : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static LoadedPolicy parse(Resource source) {
    try {
      String text = source.getContentAsString(StandardCharsets.UTF_8);
      return PolicyLoader.parse(text, Objects.requireNonNullElse(source.getFilename(), "policy"));
    } catch (IOException e) {
      throw new UncheckedIOException("penstock.policy can't be read: " + e.getMessage(), e);
    }
  }

  /**
   * A policy that the store can keep. Limits are made when a request first needs them, which would
   * be late to learn that a store in Redis doesn't know of how many nodes this is one. One of them
   * tells, and no more are made than that.
   */
  private static Policy usable(Policy policy, Store store) {
    policy.rules().stream()
        .filter(rule -> rule.storeOptions().onFailure() == FailurePolicy.LOCAL)
        .filter(rule -> !rule.limits().isEmpty())
        .findFirst()
        .ifPresent(rule -> tried(rule, store).retire());
    return policy;
  }

  private static Buckets tried(Rule rule, Store store) {
    return store.buckets("try " + rule.name(), rule.limits().get(0), rule.storeOptions());
  }

  public PolicyEngine engine() {
    return engine;
  }

  /** Where it is from, for people. */
  public String origin() {
    return origin;
  }

  /** When the policy in force was loaded. */
  public Instant since() {
    return state.since;
  }

  public List<Problem> warnings() {
    return state.warnings;
  }

  /** Why what is there now is not used; empty if it is. */
  public List<Problem> rejected() {
    return state.rejected;
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
    public void onLoaded(LoadedPolicy loaded) {
      String removed = RemovedRules.warning(engine.policy(), loaded.policy());
      try {
        engine.replace(usable(settings.apply(loaded.policy()), store));
      } catch (IllegalArgumentException e) {
        // What a file says may be right, and not for this store or these settings.
        reject(
            List.of(
                new Problem(
                    Problem.Severity.ERROR,
                    Location.of(origin),
                    "",
                    String.valueOf(e.getMessage()))));
        return;
      }
      state = PolicyState.of(loaded);
      warn(loaded);
      LOG.info("policy reloaded: {} (rules: {})", origin, loaded.policy().rules().size());
      if (removed != null) {
        LOG.warn("{}: {}", origin, removed);
      }
    }

    @Override
    public void onRejected(PolicyException reasons) {
      reject(reasons.problems());
    }

    private void reject(List<Problem> reasons) {
      state = new PolicyState(state.since, state.warnings, reasons);
      reasons.forEach(problem -> LOG.error("policy not used: {}", problem));
    }
  }
}
