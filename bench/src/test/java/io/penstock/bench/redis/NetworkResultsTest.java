package io.penstock.bench.redis;

import static io.penstock.bench.redis.RedisContender.LUA_EVAL_SHA;
import static io.penstock.bench.redis.RedisContender.PENSTOCK;
import static io.penstock.bench.redis.RedisContender.PING;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.RunLog;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NetworkResultsTest {
  private static final Duration DIRECT = Duration.ZERO;
  private static final Duration ONE_MILLI = Duration.ofMillis(1);
  private static final Cell ONE_CALLER = new Cell(Workload.PER_USER, 1);
  private static final Cell HOT = new Cell(Workload.HOT_KEY, 256);

  private final NetworkResults results = new NetworkResults(RunLog.none());

  @Test
  void ratios_severalCells_areThoseOfTheWorst() {
    results.add(DIRECT, ONE_CALLER, PENSTOCK, reading(1_000, 100_000));
    results.add(DIRECT, ONE_CALLER, LUA_EVAL_SHA, reading(1_250, 50_000));
    results.add(ONE_MILLI, HOT, PENSTOCK, reading(4_000, 100_000));
    results.add(ONE_MILLI, HOT, LUA_EVAL_SHA, reading(2_000, 100_000));
    results.add(ONE_MILLI, HOT, PING, reading(9_000, 1_000));

    assertThat(results.ratios())
        .extracting(Ratio::toString)
        .containsExactly(
            "RATIO redis.network.worst 0.80",
            "RATIO redis.network.latency 2.00",
            "RATIO redis.network.hot.1ms.256 2.00");
    assertThat(results.worst())
        .isEqualTo(
            """
            Lowest ratio of throughput: 0.80 (0 ms, per_user, 1 caller).
            Highest ratio of p50: 2.00 (0 ms, per_user, 1 caller).
            """);
  }

  @Test
  void tables_severalCells_areByRoundTripAndWorkload() {
    results.add(DIRECT, ONE_CALLER, LUA_EVAL_SHA, reading(1_250, 50_000));
    results.add(DIRECT, ONE_CALLER, PENSTOCK, reading(1_000, 100_000));
    results.add(Duration.ofNanos(200_000), HOT, PENSTOCK, reading(4_000, 100_000));

    assertThat(results.tables()).hasSize(2);
    assertThat(results.tables().get(0).toString())
        .startsWith("round trip 0 ms, per_user, allowed\n")
        .containsSubsequence("1 caller, Penstock ", "1,000", "1 caller, LuaEvalSha (1)", "1,250");
    assertThat(results.tables().get(1).toString())
        .startsWith("round trip 0.2 ms, hot_key, allowed\n");
  }

  /** A reading of one second. */
  private static Reading reading(long requests, long latencyNanos) {
    Latencies latencies = new Latencies();
    latencies.add(latencyNanos);
    Tally tally = new Tally(requests, 0, 0, 1_000_000_000, Usage.NONE, latencies);
    return new Reading(tally, 1, 1, 1, 1);
  }
}
