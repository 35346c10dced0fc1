package io.penstock.policy.load;

import io.penstock.WindowLimit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values of {@code algorithm}. */
enum Algorithm {
  TOKEN_BUCKET(null),
  /** A token bucket that holds one request and delays the others. */
  LEAKY_BUCKET(null),
  FIXED_WINDOW(WindowLimit.Counting.FIXED_WINDOW),
  SLIDING_WINDOW_COUNTER(WindowLimit.Counting.SLIDING_WINDOW_COUNTER),
  SLIDING_WINDOW_LOG(WindowLimit.Counting.SLIDING_WINDOW_LOG);

  /** The algorithms by name, including aliases. */
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

  /** Returns how the algorithm counts a window; null for buckets. */
  WindowLimit.@Nullable Counting window() {
    return window;
  }
}
