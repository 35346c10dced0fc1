package io.penstock.bench.local;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Counts what one thread was answered; JMH adds the threads up. Anything public in here is a
 * counter to JMH.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Answers {
  public long allowed;
  public long denied;

  boolean count(boolean answer) {
    if (answer) {
      allowed++;
    } else {
      denied++;
    }
    return answer;
  }
}
