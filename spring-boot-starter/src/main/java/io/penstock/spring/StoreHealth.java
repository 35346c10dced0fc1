package io.penstock.spring;

import io.penstock.Store;
import io.penstock.policy.PolicyEngine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The health details of the limiter. It is never down: while the store is unavailable, the failure
 * policy of each rule decides, and taking the application out of service would not help.
 * Thread-safe.
 */
final class StoreHealth {
  private static final int MAX_WARNINGS = 20;

  private final Store store;
  private final PolicyEngine engine;
  private final Supplier<List<String>> warnings;

  /**
   * @param warnings the warnings of the active policy
   */
  StoreHealth(Store store, PolicyEngine engine, Supplier<List<String>> warnings) {
    this.store = store;
    this.engine = engine;
    this.warnings = warnings;
  }

  Map<String, Object> details() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("store", store.kind());
    boolean available = store.isAvailable();
    String jwtProblem = engine.jwt().status().lastFailure();
    details.put("degraded", !available || jwtProblem != null);
    if (!available) {
      details.put("store_problem", store.unavailableReason());
    }
    if (jwtProblem != null) {
      details.put("jwt_problem", jwtProblem);
    }
    details.put("rules", engine.policy().rules().size());
    List<String> found = warnings.get();
    if (!found.isEmpty()) {
      details.put("warnings", found.subList(0, Math.min(MAX_WARNINGS, found.size())));
    }
    return details;
  }
}
