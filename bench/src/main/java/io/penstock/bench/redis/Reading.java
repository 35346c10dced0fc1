package io.penstock.bench.redis;

import java.io.IOException;
import java.util.Set;

/**
 * What one measurement found, on both sides.
 *
 * @param calls that Redis was sent
 * @param scriptMicros what Redis spent on scripts
 * @param serverMicros CPU time of the whole server
 */
record Reading(Tally tally, long calls, long scriptMicros, double serverMicros) {
  /** Lets a node ask, and reads the server's counters before and after. */
  static Reading of(RedisServer server, NodeProcess node, Cell cell, long millis)
      throws IOException {
    Set<String> calls = node.contender().calls();
    ServerCounters before = server.counters();
    Tally tally = node.ask(cell.workload(), cell.callers(), millis);
    ServerCounters after = server.counters();
    return new Reading(
        tally,
        after.calls(calls) - before.calls(calls),
        after.micros(calls) - before.micros(calls),
        after.cpuMicros() - before.cpuMicros());
  }

  double nanosPerRequest() {
    return (double) tally.nanos() / tally.requests();
  }

  double bytesPerRequest() {
    return (double) tally.bytes() / tally.requests();
  }

  double callsPerRequest() {
    return (double) calls / tally.requests();
  }

  double scriptMicrosPerCall() {
    return (double) scriptMicros / calls;
  }

  double scriptMicrosPerRequest() {
    return (double) scriptMicros / tally.requests();
  }

  double serverMicrosPerRequest() {
    return serverMicros / tally.requests();
  }

  double gaveUpPercent() {
    return 100.0 * tally.gaveUp() / tally.requests();
  }
}
