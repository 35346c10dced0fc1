package io.penstock.bench.redis;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Compares Penstock with one EVALSHA per request, by round trip time and number of callers. Each
 * contender has two processes: one is connected to Redis directly, which is a round trip time of 0,
 * and one through a {@link DelayRelay}, for the other round trip times. The contenders take turns
 * in every cell, and swap places from cell to cell and from round to round. Every other round
 * starts new processes.
 */
public final class NetworkPart {
  private static final List<RedisContender> COMPARED =
      List.of(RedisContender.PENSTOCK, RedisContender.LUA_EVAL_SHA);

  private static final double STEP_SECONDS = 1.1;

  /** Starting and warming up a process takes about as long as this many readings. */
  private static final int WARMUP_STEPS = 11;

  /** The round trip time of the relay during a warm-up. */
  private static final Duration WARMUP_ROUND_TRIP = Duration.ofNanos(200_000);

  private static final String NOTES =
      """
      A relay holds all bytes for half the round trip time in each direction; 0 ms is a direct connection. The
      relay runs in the process that starts the others, which is idle otherwise. All processes share the cores
      of this machine, so the CPU time of the relay reduces the throughput as well. Callers are platform
      threads that wait for each response. Each figure is the median of its rounds, including percentiles; of
      less than 1,000 requests in a round, p99.9 is the longest.
      server µs is the CPU time of redis-server, client µs that of the Java threads of the callers' process,
      and relay µs that of the relay. Wire bytes are those that Redis receives and sends.
      LuaEvalSha (1) is a textbook token bucket in a script on Lettuce; all callers share a connection. PING and
      empty EVALSHA are sent in the same way but decide nothing: they are the minimum cost of a call, of one round.
      """;

  /** The conditions to measure: all cells at all round trip times. */
  record Grid(List<Duration> roundTrips, List<Cell> cells) {
    static final Grid ALL =
        new Grid(
            LongStream.of(0, 200_000, 500_000, 1_000_000, 5_000_000)
                .mapToObj(Duration::ofNanos)
                .toList(),
            Stream.of(Workload.HOT_KEY, Workload.PER_USER)
                .flatMap(
                    workload ->
                        IntStream.of(1, 4, 16, 64, 256)
                            .mapToObj(callers -> new Cell(workload, callers)))
                .toList());

    int size() {
      return roundTrips.size() * cells.size();
    }

    int maxCallers() {
      return cells.stream().mapToInt(Cell::callers).max().orElseThrow();
    }
  }

  /**
   * The number and duration of measurements. The contenders that decide nothing have a single
   * round.
   *
   * @param starts how often processes are started, for two rounds each
   * @param warmupMillis the duration of each of two warm-ups of a new process
   * @param settleMillis the time before each reading for which requests don't count
   */
  record NetworkSchedule(int starts, long warmupMillis, long settleMillis, long millis) {
    static NetworkSchedule of(boolean quick) {
      return quick
          ? new NetworkSchedule(1, 1_000, 50, 200)
          : new NetworkSchedule(2, 4_500, 150, 800);
    }

    int rounds() {
      return 2 * starts;
    }

    /** Returns the number of steps of {@link Progress}. */
    int steps(Grid grid) {
      int floors = RedisContender.FLOORS.size();
      int processes = 2 * (starts * COMPARED.size() + floors);
      int readings = (rounds() * COMPARED.size() + floors) * grid.size();
      return WARMUP_STEPS * processes + readings;
    }
  }

  private final Grid grid;
  private final NetworkSchedule schedule;
  private final RedisServer server;
  private final DelayRelay relay;
  private final NetworkResults results;
  private final Progress progress;

  private NetworkPart(
      Grid grid,
      NetworkSchedule schedule,
      RedisServer server,
      DelayRelay relay,
      NetworkResults results) {
    this.grid = grid;
    this.schedule = schedule;
    this.server = server;
    this.relay = relay;
    this.results = results;
    this.progress = new Progress(schedule.steps(grid), STEP_SECONDS);
  }

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    return measure(Grid.ALL, NetworkSchedule.of(quick), log);
  }

  static Findings measure(Grid grid, NetworkSchedule schedule, RunLog log)
      throws IOException, InterruptedException {
    try (RedisServer server = new RedisServer();
        DelayRelay relay = new DelayRelay(server.port())) {
      NetworkPart part = new NetworkPart(grid, schedule, server, relay, new NetworkResults(log));
      for (int start = 1; start <= schedule.starts; start++) {
        part.measure(start);
      }
      part.progress.done();
      return new Findings(
          part.results.tables(),
          part.results.worst() + "server: " + server.describe() + "\n" + NOTES,
          part.results.ratios());
    }
  }

  private void measure(int start) throws IOException {
    List<RedisContender> contenders = new ArrayList<>(COMPARED);
    if (start == 1) {
      contenders.addAll(RedisContender.FLOORS);
    }
    List<NodeProcess> direct = new ArrayList<>();
    List<NodeProcess> relayed = new ArrayList<>();
    try {
      relay.roundTrip(WARMUP_ROUND_TRIP);
      for (RedisContender contender : contenders) {
        progress.next("warm-up: " + contender.label, 2 * WARMUP_STEPS);
        direct.add(start(contender, server.url()));
        relayed.add(start(contender, relay.url()));
      }
      for (int round = 2 * start - 1; round <= 2 * start; round++) {
        int count = round == 1 ? contenders.size() : COMPARED.size();
        for (Duration roundTrip : grid.roundTrips) {
          relay.roundTrip(roundTrip);
          measure(roundTrip, (roundTrip.isZero() ? direct : relayed).subList(0, count), round);
        }
      }
    } finally {
      direct.forEach(NodeProcess::close);
      relayed.forEach(NodeProcess::close);
    }
  }

  private NodeProcess start(RedisContender contender, String url) throws IOException {
    NodeProcess node = new NodeProcess(contender, RedisLimits.GENEROUS, url);
    try {
      node.time(Workload.HOT_KEY, grid.maxCallers(), schedule.warmupMillis);
      // Uses all keys, so that none is new during the measurement.
      node.time(Workload.PER_USER, grid.maxCallers(), schedule.warmupMillis);
      return node;
    } catch (IOException | RuntimeException failed) {
      node.close();
      throw failed;
    }
  }

  private void measure(Duration roundTrip, List<NodeProcess> nodes, int round) throws IOException {
    String of = ", round %d of %d".formatted(round, schedule.rounds());
    List<NodeProcess> turns = new ArrayList<>(nodes);
    if (round % 2 == 0) {
      Collections.reverse(turns);
    }
    for (Cell cell : grid.cells) {
      for (NodeProcess node : turns) {
        RedisContender contender = node.contender();
        progress.next(
            "%s, %s: %s%s".formatted(NetworkResults.label(roundTrip), cell, contender.label, of));
        node.ask(cell.workload(), cell.callers(), schedule.settleMillis);
        Reading reading = Reading.timed(server, relay, node, cell, schedule.millis);
        results.add(roundTrip, cell, contender, reading);
      }
      Collections.reverse(turns);
    }
  }
}
