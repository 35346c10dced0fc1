package io.penstock.bench.local;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Counts the decisions of one thread; JMH adds up the threads. JMH treats every public member as a
 * counter.
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
