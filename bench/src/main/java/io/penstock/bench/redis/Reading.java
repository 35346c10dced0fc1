package io.penstock.bench.redis;

import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * The result of one measurement, on the client and the server.
 *
 * @param calls the calls to Redis
 * @param scriptMicros the time that Redis spent on scripts
 * @param serverMicros the CPU time of the whole server
 * @param wireBytes the bytes that the server received and sent
 * @param relayMicros the CPU time of the {@link DelayRelay}; 0 without one
 */
record Reading(
    Tally tally,
    long calls,
    long scriptMicros,
    double serverMicros,
    double wireBytes,
    double relayMicros) {
  Reading(Tally tally, long calls, long scriptMicros, double serverMicros, double wireBytes) {
    this(tally, calls, scriptMicros, serverMicros, wireBytes, 0);
  }

  /** Runs a node, and reads the counters of the server before and after. */
  static Reading of(RedisServer server, NodeProcess node, Cell cell, long millis)
      throws IOException {
    return of(List.of(server), node, cell, millis);
  }

  /** Runs a node on several servers, which share the work. */
  static Reading of(List<RedisServer> servers, NodeProcess node, Cell cell, long millis)
      throws IOException {
    return of(servers, node, () -> node.ask(cell.workload(), cell.callers(), millis));
  }

  /** Runs a node that also measures latencies, and may be connected through a relay. */
  static Reading timed(
      RedisServer server, DelayRelay relay, NodeProcess node, Cell cell, long millis)
      throws IOException {
    double before = relay.cpuMicros();
    Reading reading =
        of(List.of(server), node, () -> node.time(cell.workload(), cell.callers(), millis));
    return new Reading(
        reading.tally,
        reading.calls,
        reading.scriptMicros,
        reading.serverMicros,
        reading.wireBytes,
        relay.cpuMicros() - before);
  }

  private interface Run {
    Tally tally() throws IOException;
  }

  private static Reading of(List<RedisServer> servers, NodeProcess node, Run run)
      throws IOException {
    Set<String> calls = node.contender().calls();
    // INFO itself sends and receives as many bytes as between the first two snapshots.
    List<ServerCounters> first = servers.stream().map(RedisServer::counters).toList();
    List<ServerCounters> before = servers.stream().map(RedisServer::counters).toList();
    Tally tally = run.tally();
    Reading sum = new Reading(tally, 0, 0, 0, 0);
    for (int i = 0; i < before.size(); i++) {
      ServerCounters after = servers.get(i).counters();
      double infoBytes = before.get(i).wireBytes() - first.get(i).wireBytes();
      sum =
          new Reading(
              tally,
              sum.calls + after.calls(calls) - before.get(i).calls(calls),
              sum.scriptMicros + after.micros(calls) - before.get(i).micros(calls),
              sum.serverMicros + after.cpuMicros() - before.get(i).cpuMicros(),
              sum.wireBytes + after.wireBytes() - before.get(i).wireBytes() - infoBytes);
    }
    return sum;
  }

  /** Appends the figures to a log. */
  void log(RunLog log, String row, String contender, int round) {
    log.add(row, contender, round, "ns/op", nanosPerRequest());
    log.add(row, contender, round, "redis calls/req", callsPerRequest());
    log.add(row, contender, round, "server µs/req", serverMicrosPerRequest());
    if (tally.latencies().count() > 0) {
      log.add(row, contender, round, "p50 µs", p50Micros());
      log.add(row, contender, round, "p99 µs", p99Micros());
      log.add(row, contender, round, "p99.9 µs", p999Micros());
    }
  }

  double perSecond() {
    return 1e9 / nanosPerRequest();
  }

  double nanosPerRequest() {
    return (double) tally.nanos() / tally.requests();
  }

  double bytesPerRequest() {
    return (double) tally.used().bytes() / tally.requests();
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

  double wireBytesPerRequest() {
    return wireBytes / tally.requests();
  }

  /** Returns the CPU time of the client's Java threads. */
  double clientMicrosPerRequest() {
    return tally.used().cpuNanos() / 1e3 / tally.requests();
  }

  double relayMicrosPerRequest() {
    return relayMicros / tally.requests();
  }

  double p50Micros() {
    return tally.latencies().micros(50);
  }

  double p99Micros() {
    return tally.latencies().micros(99);
  }

  double p999Micros() {
    return tally.latencies().micros(99.9);
  }

  double gaveUpPercent() {
    return 100.0 * tally.gaveUp() / tally.requests();
  }
}
