package io.penstock.server.figures;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The counters that a {@link DecisionTimeline} samples; all of them count since the start. */
public interface CountSource {
  /** Passes on the counts of each rule. */
  void forEachRule(BiConsumer<String, DecisionCounts> action);

  /** Returns the counts of all requests together. */
  DecisionCounts requests();

  /** Returns the histogram of the decision times of all requests. */
  long[] latencies();

  /**
   * Returns the histogram of the decision times of the requests that a rule applied to; null before
   * the first one.
   */
  long @Nullable [] latencies(String rule);
}
