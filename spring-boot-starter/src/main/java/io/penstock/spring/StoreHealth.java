package io.penstock.spring;

import io.penstock.Store;
import io.penstock.policy.PolicyEngine;
import io.penstock.redis.RedisStore;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.util.ClassUtils;

/**
 * How the limiter is. It is never down: while the store is away, each rule has a failure policy,
 * and an application that is taken out of service for its limiter helps nobody. Thread-safe.
 */
final class StoreHealth {
  private static final boolean REDIS =
      ClassUtils.isPresent("io.penstock.redis.RedisStore", StoreHealth.class.getClassLoader());

  private final Store store;
  private final PolicyEngine engine;

  StoreHealth(Store store, PolicyEngine engine) {
    this.store = store;
    this.engine = engine;
  }

  Map<String, Object> details() {
    boolean redis = REDIS && RedisDetails.is(store);
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("store", redis ? "redis" : store.getClass().getSimpleName());
    boolean available = !redis || RedisDetails.isAvailable(store);
    String keys = engine.jwt().status().lastFailure();
    details.put("degraded", !available || keys != null);
    if (!available) {
      details.put("store_problem", RedisDetails.reason(store));
    }
    if (keys != null) {
      details.put("jwt_problem", keys);
    }
    details.put("rules", engine.policy().rules().size());
    return details;
  }

  /** Loaded only where there is Redis. */
  private static final class RedisDetails {
    static boolean is(Store store) {
      return store instanceof RedisStore;
    }

    static String reason(Store store) {
      return store instanceof RedisStore redis ? redis.unavailableReason() : "";
    }

    static boolean isAvailable(Store store) {
      return store instanceof RedisStore redis && redis.isAvailable();
    }
  }
}
