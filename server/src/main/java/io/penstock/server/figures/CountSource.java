package io.penstock.server.figures;

import java.util.function.BiConsumer;

/** The counters that a {@link DecisionTimeline} samples; all of them count since the start. */
public interface CountSource {
  /** Passes on the counts of each rule. */
  void forEachRule(BiConsumer<String, DecisionCounts> action);

  /** Returns the counts of all requests together. */
  DecisionCounts requests();

  /** Returns the histogram of decision times. */
  long[] latencies();
}
