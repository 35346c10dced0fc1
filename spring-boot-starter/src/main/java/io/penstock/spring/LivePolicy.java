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
 * Holds the active policy of an application and reloads it when its file changes. An invalid file
 * leaves the active policy unchanged; {@link #rejected} returns its errors. Thread-safe.
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
   * Loads the policy and starts to watch it if it is a file or folder.
   *
   * @param settings applies the settings of the application to a policy
   * @throws PolicyException if the policy is invalid
   * @throws IllegalArgumentException if the store doesn't support it
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
    List<JwtObserver> allJwtObservers = new ArrayList<>(jwtObservers);
    allJwtObservers.add(new KeyLog());
    this.engine =
        new PolicyEngine(
            store,
            checked(settings.apply(loaded.policy()), store),
            observer,
            JwtObserver.all(allJwtObservers));
    this.state = PolicyState.of(loaded);
    warn(loaded);
    LOG.info("Policy loaded: {} (rules: {})", origin, loaded.policy().rules().size());
    if (watcher != null) {
      watcher.start();
    }
  }

  /** Returns a watcher; null for a classpath resource, which doesn't change and has no path. */
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
      throw new UncheckedIOException("cannot read penstock.policy: " + e.getMessage(), e);
    }
  }

  /**
   * Checks that the store supports a policy, and returns the policy. Buckets are created lazily by
   * the first request, which would be too late to detect that the number of nodes is missing for
   * {@code on_store_failure: local}. Creating the buckets of one such rule is enough.
   */
  private static Policy checked(Policy policy, Store store) {
    policy.rules().stream()
        .filter(rule -> rule.storeOptions().onFailure() == FailurePolicy.LOCAL)
        .filter(rule -> !rule.limits().isEmpty())
        .findFirst()
        .ifPresent(rule -> probe(rule, store).retire());
    return policy;
  }

  private static Buckets probe(Rule rule, Store store) {
    return store.buckets("try " + rule.name(), rule.limits().get(0), rule.storeOptions());
  }

  public PolicyEngine engine() {
    return engine;
  }

  /** Returns a description of the source of the policy. */
  public String origin() {
    return origin;
  }

  /** Returns the time at which the active policy was loaded. */
  public Instant since() {
    return state.since;
  }

  public List<Problem> warnings() {
    return state.warnings;
  }

  /** Returns the errors of the last rejected version; empty if the latest version is active. */
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

  /** Logs when JWT keys can't be fetched, and when they can again. */
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

  /** Handles changes of the file. */
  private final class Changes implements PolicyWatcher.PolicyListener {
    @Override
    public void onLoaded(LoadedPolicy loaded) {
      String removed = RemovedRules.warning(engine.policy(), loaded.policy());
      try {
        engine.replace(checked(settings.apply(loaded.policy()), store));
      } catch (IllegalArgumentException e) {
        // The file may be valid but incompatible with this store or these settings.
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
      LOG.info("Policy reloaded: {} (rules: {})", origin, loaded.policy().rules().size());
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
      reasons.forEach(
          problem -> LOG.error("Policy rejected, the previous one stays active: {}", problem));
    }
  }
}
