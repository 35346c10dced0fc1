package io.penstock.policy.load;

import io.penstock.WindowLimit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code algorithm} can be. */
enum Algorithm {
  TOKEN_BUCKET(null),
  /** A token bucket that holds one request and makes others wait. */
  LEAKY_BUCKET(null),
  FIXED_WINDOW(WindowLimit.Counting.FIXED_WINDOW),
  SLIDING_WINDOW_COUNTER(WindowLimit.Counting.SLIDING_WINDOW_COUNTER),
  SLIDING_WINDOW_LOG(WindowLimit.Counting.SLIDING_WINDOW_LOG);

  /** By name, other names included. */
  static final Map<String, Algorithm> CHOICES;

  static {
    Map<String, Algorithm> choices = new LinkedHashMap<>(EnumFields.of(values()));
    choices.put("sliding_window", SLIDING_WINDOW_COUNTER);
    choices.put("sliding_log", SLIDING_WINDOW_LOG);
    CHOICES = Collections.unmodifiableMap(choices);
  }

  private final WindowLimit.@Nullable Counting window;

  Algorithm(WindowLimit.@Nullable Counting window) {
    this.window = window;
  }

  /** How it counts a window; null for buckets. */
  WindowLimit.@Nullable Counting window() {
    return window;
  }
}
