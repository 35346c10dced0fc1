package io.penstock.spring;

import io.penstock.Store;
import io.penstock.policy.Attribute;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.UnsuppliedRule;
import io.penstock.policy.jwt.JwtObserver;
import io.penstock.policy.load.ActivePolicy;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;

/**
 * Holds the active policy of an application and reloads it when its file changes. An invalid file
 * leaves the active policy unchanged; {@link #active} reports its errors. Thread-safe.
 */
public final class LivePolicy implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LivePolicy.class);
  private static final String ADVICE =
      "; map it to a header or claim under attributes, or supply it with an attribute resolver";

  private final PolicyEngine engine;
  private final String origin;
  private final Set<String> supplied;
  private final UnaryOperator<Policy> settings;
  private final @Nullable PolicyWatcher watcher;
  private volatile ActivePolicy active;
  private volatile List<String> warnings = List.of();

  /**
   * Where a policy comes from, and what its rules can use.
   *
   * @param resource the file or folder, or a resource of the class path
   * @param supplied the bare names that the filters supply; empty if nothing supplies any
   */
  record PolicySource(Resource resource, Set<String> supplied) {}

  /**
   * Loads the policy and starts to watch it if it is a file or folder.
   *
   * @param settings applies the settings of the application to a policy
   * @throws PolicyException if the policy is invalid
   * @throws IllegalArgumentException if the store doesn't support it
   */
  LivePolicy(
      PolicySource from,
      Store store,
      PolicyObserver observer,
      List<JwtObserver> jwtObservers,
      UnaryOperator<Policy> settings) {
    Resource source = from.resource();
    this.origin = source.getDescription();
    this.supplied = from.supplied();
    this.settings = settings;
    this.watcher = watcher(source);
    LoadedPolicy loaded = watcher == null ? parse(source) : watcher.load();
    List<JwtObserver> allJwtObservers = new ArrayList<>(jwtObservers);
    allJwtObservers.add(JwtObserver.logging(LOG::info, LOG::warn));
    this.engine =
        new PolicyEngine(
            store, settings.apply(loaded.policy()), observer, JwtObserver.all(allJwtObservers));
    this.active = active(loaded, engine.policy());
    warn(loaded, engine.policy());
    LOG.info("Policy loaded: {} (rules: {})", origin, loaded.policy().rules().size());
    if (watcher != null) {
      watcher.start();
    }
  }

  /** Returns a watcher; null for a classpath resource, which doesn't change and has no path. */
  private @Nullable PolicyWatcher watcher(Resource source) {
    try {
      return source.isFile() && !(source instanceof ClassPathResource)
          ? new PolicyWatcher(source.getFile().toPath(), new ReloadListener(), supplied)
          : null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private LoadedPolicy parse(Resource source) {
    try {
      String text = source.getContentAsString(StandardCharsets.UTF_8);
      String name = Objects.requireNonNullElse(source.getFilename(), "policy");
      return PolicyLoader.parse(text, name, supplied);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read penstock.policy: " + e.getMessage(), e);
    }
  }

  public PolicyEngine engine() {
    return engine;
  }

  /** Returns the active policy and the errors of the last rejected version. */
  public ActivePolicy active() {
    return active;
  }

  /** Returns the state after a policy has been loaded, and the settings have been applied. */
  private ActivePolicy active(LoadedPolicy loaded, Policy applied) {
    return ActivePolicy.of(
        new LoadedPolicy(applied, loaded.warnings(), loaded.locations()), origin);
  }

  /**
   * Returns the warnings of the active policy: mistakes in its source, rules that can't apply to
   * any request, and why nothing is denied.
   */
  public List<String> warnings() {
    return warnings;
  }

  /** Where users are known, resolvers may supply further names, such as their authorities. */
  private boolean maySupply(String name, Policy applied) {
    boolean bare = Attribute.parse(name).source() == Attribute.AttributeSource.STATED;
    return applied.attributes().declares(name) || (bare && !supplied.isEmpty());
  }

  private void warn(LoadedPolicy loaded, Policy applied) {
    List<String> found = new ArrayList<>();
    loaded.warnings().forEach(warning -> found.add(warning.toString()));
    UnsuppliedRule.in(applied).stream()
        .filter(rule -> !rule.missing().stream().allMatch(name -> maySupply(name, applied)))
        .forEach(rule -> found.add("filters: " + rule + ADVICE));
    applied.whyNothingIsDenied().ifPresent(found::add);
    warnings = List.copyOf(found);
    found.forEach(warning -> LOG.warn("{}", warning));
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.close();
    }
    engine.close();
  }

  /** Handles changes of the file. */
  private final class ReloadListener implements PolicyWatcher.PolicyListener {
    @Override
    public void onLoaded(LoadedPolicy loaded) {
      String removed = RemovedRules.warning(engine.policy(), loaded.policy());
      List<String> rejectedOverrides;
      try {
        rejectedOverrides = engine.replace(settings.apply(loaded.policy()));
      } catch (IllegalArgumentException e) {
        // The file may be valid but incompatible with this store or these settings.
        reject(
            List.of(
                new Problem(
                    Problem.Severity.ERROR,
                    Location.of(origin),
                    "",
                    String.valueOf(e.getMessage()))),
            null);
        return;
      }
      active = active(loaded, engine.policy());
      warn(loaded, engine.policy());
      LOG.info("Policy reloaded: {} (rules: {})", origin, loaded.policy().rules().size());
      if (removed != null) {
        LOG.warn("{}: {}", origin, removed);
      }
      rejectedOverrides.forEach(reason -> LOG.warn("Override of a key has no effect: {}", reason));
    }

    @Override
    public void onRejected(PolicyException reasons) {
      reject(reasons.problems(), reasons.getCause());
    }

    private void reject(List<Problem> reasons, @Nullable Throwable cause) {
      active = active.withRejected(reasons);
      reasons.forEach(
          problem ->
              LOG.error("Policy rejected, the previous one stays active: {}", problem, cause));
    }
  }
}
