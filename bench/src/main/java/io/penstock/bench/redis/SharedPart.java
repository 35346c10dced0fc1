package io.penstock.bench.redis;

import static io.penstock.bench.redis.RedisContender.BUCKET4J;
import static io.penstock.bench.redis.RedisContender.BUCKET4J_ASYNC;
import static io.penstock.bench.redis.RedisContender.BUCKET4J_BATCHING;
import static io.penstock.bench.redis.RedisContender.BUCKET4J_DELAYING;
import static io.penstock.bench.redis.RedisContender.BUCKET4J_PREDICTING;
import static io.penstock.bench.redis.RedisContender.LUA_EVAL_SHA;
import static io.penstock.bench.redis.RedisContender.PENSTOCK;
import static io.penstock.bench.redis.RedisContender.PENSTOCK_AUTO;
import static io.penstock.bench.redis.RedisContender.PENSTOCK_LEASED;
import static io.penstock.bench.redis.RedisContender.PENSTOCK_OPEN;
import static io.penstock.bench.redis.RedisContender.SPRING_CLOUD_GATEWAY;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures Penstock and its peers on one Redis. Each round warms up a new process of each
 * contender; then they are measured in turns, one at a time, under each of the conditions. They
 * swap places from cell to cell and from round to round.
 */
public final class SharedPart {
  private static final int[] CALLERS = {1, 16, 64, 256};
  private static final int MANY_CALLERS = 64;
  private static final Cell HOT = new Cell(Workload.HOT_KEY, MANY_CALLERS);
  private static final Cell PER_USER = new Cell(Workload.PER_USER, MANY_CALLERS);

  private static final double STEP_SECONDS = 1.6;

  private final RedisServer server;
  private final SharedSchedule schedule;
  private final Readings readings;
  private final List<Cell> cells =
      Stream.of(Workload.HOT_KEY, Workload.PER_USER)
          .flatMap(
              workload -> IntStream.of(CALLERS).mapToObj(callers -> new Cell(workload, callers)))
          .toList();

  /**
   * The number and duration of measurements of each contender. With 64 callers on few cores, the
   * JIT compiler gets little CPU time: after two seconds of a hot key every contender still became
   * faster, after five none did.
   */
  private record SharedSchedule(
      int rounds, long hotWarmupMillis, long userWarmupMillis, long millis) {
    static SharedSchedule of(boolean quick) {
      return quick
          ? new SharedSchedule(1, 2_000, 3_000, 500)
          : new SharedSchedule(3, 4_500, 3_000, 1_200);
    }
  }

  private SharedPart(RedisServer server, boolean quick, RunLog log) {
    this.server = server;
    this.readings = new Readings(log, "");
    this.schedule = SharedSchedule.of(quick);
  }

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    try (RedisServer server = new RedisServer()) {
      SharedPart part = new SharedPart(server, quick, log);
      part.measure();
      String notes = "server: " + server.describe() + "\n" + RedisContender.NOTES;
      return new Findings(
          part.readings.tables(),
          notes,
          part.ratios(),
          List.of(
              part.readings.plot("throughput", Workload.HOT_KEY),
              part.readings.plot("throughput-per-user", Workload.PER_USER)));
    }
  }

  private void measure() throws IOException {
    int contenders = RedisContender.limiters().size();
    Progress progress =
        new Progress(schedule.rounds * contenders * (1 + cells.size()), STEP_SECONDS);
    for (int round = 1; round <= schedule.rounds; round++) {
      String of = ", round %d of %d".formatted(round, schedule.rounds);
      List<NodeProcess> nodes = new ArrayList<>();
      try {
        for (RedisContender contender : RedisContender.limiters()) {
          progress.next("warm-up: " + contender.label + of);
          nodes.add(warm(contender));
        }
        if (round % 2 == 0) {
          Collections.reverse(nodes);
        }
        for (Cell cell : cells) {
          for (NodeProcess node : nodes) {
            progress.next(cell + ": " + node.contender().label + of);
            readings.add(cell, node.contender(), Reading.of(server, node, cell, schedule.millis));
          }
          Collections.reverse(nodes);
        }
      } finally {
        nodes.forEach(NodeProcess::close);
      }
    }
    progress.done();
  }

  private NodeProcess warm(RedisContender contender) throws IOException {
    NodeProcess node = new NodeProcess(contender, RedisLimits.GENEROUS, server.url());
    try {
      node.ask(Workload.HOT_KEY, MANY_CALLERS, schedule.hotWarmupMillis);
      // Uses all keys, so that none is new during the measurement.
      node.ask(Workload.PER_USER, CALLERS[CALLERS.length - 1], schedule.userWarmupMillis);
      return node;
    } catch (IOException | RuntimeException failed) {
      node.close();
      throw failed;
    }
  }

  private List<Ratio> ratios() {
    return List.of(
        Ratio.of("redis.hot.bucket4j", readings.ratio(HOT, PENSTOCK, BUCKET4J)),
        Ratio.of("redis.hot.bucket4j-batching", readings.ratio(HOT, PENSTOCK, BUCKET4J_BATCHING)),
        Ratio.of("redis.hot.bucket4j-async", readings.ratio(HOT, PENSTOCK, BUCKET4J_ASYNC)),
        Ratio.of(
            "redis.leased.bucket4j-delaying",
            readings.ratio(HOT, PENSTOCK_LEASED, BUCKET4J_DELAYING)),
        Ratio.of(
            "redis.leased.bucket4j-predicting",
            readings.ratio(HOT, PENSTOCK_LEASED, BUCKET4J_PREDICTING)),
        Ratio.of(
            "redis.hot.spring-cloud-gateway", readings.ratio(HOT, PENSTOCK, SPRING_CLOUD_GATEWAY)),
        Ratio.of(
            "redis.user.spring-cloud-gateway",
            readings.ratio(PER_USER, PENSTOCK, SPRING_CLOUD_GATEWAY)),
        Ratio.of("redis.hot.seed-lua", readings.ratio(HOT, PENSTOCK, LUA_EVAL_SHA)),
        Ratio.of("redis.user.seed-lua", readings.ratio(PER_USER, PENSTOCK, LUA_EVAL_SHA)),
        Ratio.of("redis.hot.calls", readings.estimate(HOT, PENSTOCK, Reading::callsPerRequest)),
        Ratio.of("redis.leased.seed-lua", readings.ratio(HOT, PENSTOCK_LEASED, LUA_EVAL_SHA)),
        Ratio.small(
            "redis.leased.calls",
            readings.estimate(HOT, PENSTOCK_LEASED, Reading::callsPerRequest)),
        Ratio.of("redis.auto.seed-lua", readings.ratio(HOT, PENSTOCK_AUTO, LUA_EVAL_SHA)),
        Ratio.of("redis.hot.local-buckets", readings.ratio(HOT, PENSTOCK, PENSTOCK_OPEN)),
        Ratio.of("redis.user.local-buckets", readings.ratio(PER_USER, PENSTOCK, PENSTOCK_OPEN)));
  }
}
