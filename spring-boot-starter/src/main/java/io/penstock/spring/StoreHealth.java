package io.penstock.spring;

import io.penstock.Store;
import io.penstock.policy.PolicyEngine;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The health details of the limiter. It is never down: while the store is unavailable, the failure
 * policy of each rule decides, and taking the application out of service would not help.
 * Thread-safe.
 */
final class StoreHealth {
  private final Store store;
  private final PolicyEngine engine;

  StoreHealth(Store store, PolicyEngine engine) {
    this.store = store;
    this.engine = engine;
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
    return details;
  }
}
