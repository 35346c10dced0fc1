package io.penstock.bench.redis;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * The result of one measurement, on the client and the server.
 *
 * @param calls the calls to Redis
 * @param scriptMicros the time that Redis spent on scripts
 * @param serverMicros the CPU time of the whole server
 */
record Reading(Tally tally, long calls, long scriptMicros, double serverMicros) {
  /** Runs a node, and reads the counters of the server before and after. */
  static Reading of(RedisServer server, NodeProcess node, Cell cell, long millis)
      throws IOException {
    return of(List.of(server), node, cell, millis);
  }

  /** Runs a node on several servers, which share the work. */
  static Reading of(List<RedisServer> servers, NodeProcess node, Cell cell, long millis)
      throws IOException {
    Set<String> calls = node.contender().calls();
    List<ServerCounters> before = servers.stream().map(RedisServer::counters).toList();
    Tally tally = node.ask(cell.workload(), cell.callers(), millis);
    Reading sum = new Reading(tally, 0, 0, 0);
    for (int i = 0; i < before.size(); i++) {
      ServerCounters after = servers.get(i).counters();
      sum =
          new Reading(
              tally,
              sum.calls + after.calls(calls) - before.get(i).calls(calls),
              sum.scriptMicros + after.micros(calls) - before.get(i).micros(calls),
              sum.serverMicros + after.cpuMicros() - before.get(i).cpuMicros());
    }
    return sum;
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
