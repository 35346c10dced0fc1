package io.penstock.bench.redis;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Bars;
import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Plot;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Counts the requests that contenders allow under overload, from one process and from several, and
 * compares them with the tokens that a bucket has had. A single caller takes the burst, because a
 * full bucket loses tokens while the other callers start. At the end it takes the tokens that are
 * left: with more callers than cores, the last grants of a fixed time may be late, which is a delay
 * and not a denial. The server and the processes share a clock, because they share the machine.
 */
public final class OverGrantPart {
  private static final int CALLERS = 64;
  private static final int[] PROCESSES = {1, 3};
  private static final long MILLIS = 3_000;

  /** The time between two tokens. */
  private static final long TOKEN_MILLIS = 100;

  /** The time after a new token at which the rest is taken, far from the next token. */
  private static final long PHASE_MILLIS = 30;

  /** After that time without requests, the bucket would be full and lose tokens. */
  private static final long MAX_IDLE_MILLIS = 950;

  private static final int MAX_ATTEMPTS = 5;
  private static final long WARMUP_MILLIS = 500;
  private static final double STEP_SECONDS = 10;

  private static final String NOTES =
      """
      burst 10, rate 10/s. A single caller takes the burst, so that no token is lost to a full bucket while the
      other callers start. All callers then request the same key for 3 s and retry immediately, allowed or not.
      Finally a single caller of each process takes the tokens that are left. tokens is the number that an exact bucket
      has had until then, by the time since the first grant: an exact limiter allows as many, not more and not
      less. Fewer may be allowed with leases, because tokens leased to another process may be unused. Penstock
      knows how long a denial holds and does not call Redis in the meantime. Redisson and Spring Cloud Gateway
      are not such buckets: the former has no burst and allows 10 in any second, the latter adds tokens once a
      second.
      """;

  /**
   * The outcome of a round.
   *
   * @param left the requests that were allowed after the 3 seconds; included in {@code allowed}
   * @param tokens the requests that an exact bucket allows
   */
  private record Grants(long requests, long allowed, long left, long tokens) {
    double overPercent() {
      return 100.0 * (allowed - tokens) / tokens;
    }

    double percent() {
      return 100.0 * allowed / tokens;
    }
  }

  private final RunLog log;
  private final int rounds;
  private final Progress progress;

  private OverGrantPart(RunLog log, int rounds) {
    this.log = log;
    this.rounds = rounds;
    int steps = rounds * PROCESSES.length * RedisContender.limiters().size();
    this.progress = new Progress(steps, STEP_SECONDS);
  }

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    OverGrantPart part = new OverGrantPart(log, quick ? 1 : 2);
    List<ReportTable> tables = new ArrayList<>();
    List<Ratio> ratios = new ArrayList<>();
    List<Plot> plots = new ArrayList<>();
    for (int processes : PROCESSES) {
      Map<RedisContender, List<Grants>> grants = part.measure(processes);
      String where = processes == 1 ? "1 process" : processes + " processes";
      tables.add(table(grants, where));
      plots.add(plot(grants, processes, where));
      String from = processes == 1 ? "one" : "three";
      ratios.add(ratio("redis.overgrant." + from, grants, RedisContender.PENSTOCK));
      ratios.add(ratio("redis.leased.overgrant." + from, grants, RedisContender.PENSTOCK_LEASED));
    }
    part.progress.done();
    return new Findings(tables, NOTES, ratios, plots);
  }

  private Map<RedisContender, List<Grants>> measure(int processes)
      throws IOException, InterruptedException {
    List<RedisContender> turns = new ArrayList<>(RedisContender.limiters());
    Map<RedisContender, List<Grants>> grants = new EnumMap<>(RedisContender.class);
    turns.forEach(contender -> grants.put(contender, new ArrayList<>()));
    for (int round = 1; round <= rounds; round++) {
      for (RedisContender contender : turns) {
        progress.next("over-grant: %s, processes: %d".formatted(contender.label, processes));
        Grants measured = spend(contender, processes);
        Objects.requireNonNull(grants.get(contender)).add(measured);
        String row = "processes: " + processes;
        log.add(row, contender.label, round, "allowed", (double) measured.allowed);
        log.add(row, contender.label, round, "tokens", (double) measured.tokens);
      }
      Collections.reverse(turns);
    }
    return grants;
  }

  /** Repeats a round that was disturbed. */
  private static Grants spend(RedisContender contender, int processes)
      throws IOException, InterruptedException {
    for (int attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      List<NodeProcess> nodes = new ArrayList<>();
      try (RedisServer server = new RedisServer()) {
        for (int i = 0; i < processes; i++) {
          NodeProcess node = new NodeProcess(contender, RedisLimits.TIGHT, server.url());
          nodes.add(node);
          node.ask(Workload.PER_USER, CALLERS, WARMUP_MILLIS);
        }
        long start = nodes.get(0).first();
        long burst = 1 + nodes.get(0).drain();
        if (System.currentTimeMillis() - start >= TOKEN_MILLIS) {
          continue;
        }
        nodes.forEach(node -> node.spendUntil(start + MILLIS, CALLERS));
        Tally sum = new Tally(burst, 0, 0, 0);
        for (NodeProcess node : nodes) {
          sum = sum.plus(node.tally());
        }
        long left = 0;
        long now = start + MILLIS;
        while (now < start + MILLIS + MAX_IDLE_MILLIS) {
          long slot = awaitPhase(start);
          for (NodeProcess node : nodes) {
            left += node.drain();
          }
          now = System.currentTimeMillis();
          if (slot(now, start) == slot) {
            long tokens = RedisLimits.TIGHT.burst + slot;
            return new Grants(sum.requests() + left, sum.allowed() + left, left, tokens);
          }
        }
      } finally {
        nodes.forEach(NodeProcess::close);
      }
    }
    throw new FailedRunException(
        "%s: the machine is too busy to count its tokens".formatted(contender.label));
  }

  /** Waits for the middle between two tokens, and returns the number of tokens since the start. */
  private static long awaitPhase(long start) throws InterruptedException {
    long now = System.currentTimeMillis();
    long slot = slot(now + TOKEN_MILLIS - PHASE_MILLIS, start);
    long due = start + slot * TOKEN_MILLIS + PHASE_MILLIS;
    Thread.sleep(Math.max(0, due - now));
    return slot;
  }

  private static long slot(long epochMillis, long start) {
    return (epochMillis - start) / TOKEN_MILLIS;
  }

  private static ReportTable table(Map<RedisContender, List<Grants>> grants, String where) {
    ReportTable table =
        new ReportTable(
            "over-grant, hot_key, %d callers in each of %s".formatted(CALLERS, where),
            "",
            "requests",
            "allowed",
            "of which after 3 s",
            "tokens",
            "over_grant %");
    grants.forEach(
        (contender, rounds) -> {
          for (Grants round : rounds) {
            table.add(
                contender.label,
                String.format(Locale.ROOT, "%,d", round.requests),
                "" + round.allowed,
                "" + round.left,
                "" + round.tokens,
                String.format(Locale.ROOT, "%.2f", round.overPercent()));
          }
        });
    return table;
  }

  private static Bars plot(Map<RedisContender, List<Grants>> grants, int processes, String where) {
    Bars.Builder bars = new Bars.Builder();
    grants.forEach(
        (contender, rounds) ->
            bars.add(contender.label, Estimate.median(figures(rounds, Grants::percent))));
    return bars.build(
        processes == 1 ? "overgrant-one" : "overgrant",
        "Requests allowed, in percent of the tokens: 100 is exact",
        "one key, %d callers in each of %s, burst 10, rate 10/s".formatted(CALLERS, where));
  }

  private static Ratio ratio(
      String name, Map<RedisContender, List<Grants>> grants, RedisContender contender) {
    return Ratio.of(
        name, Estimate.of(figures(grants.getOrDefault(contender, List.of()), Grants::overPercent)));
  }

  private static List<Double> figures(List<Grants> rounds, Function<Grants, Double> of) {
    return rounds.stream().map(of).toList();
  }
}
