package io.penstock.bench.local;

import static io.penstock.bench.local.HotContender.BUCKET4J_LOCK_FREE;
import static io.penstock.bench.local.HotContender.BUCKET4J_SYNCHRONIZED;
import static io.penstock.bench.local.HotContender.PENSTOCK;
import static io.penstock.bench.local.HotContender.PENSTOCK_WITHOUT_KEY;
import static io.penstock.bench.local.KeyedContender.BUCKET4J_LOCK_FREE_CAFFEINE;
import static io.penstock.bench.local.KeyedContender.BUCKET4J_LOCK_FREE_MAP;
import static io.penstock.bench.local.KeyedContender.BUCKET4J_SYNCHRONIZED_CAFFEINE;
import static io.penstock.bench.local.KeyedContender.BUCKET4J_SYNCHRONIZED_MAP;
import static io.penstock.bench.local.LocalEntries.MAX_THREADS;
import static io.penstock.bench.local.LocalEntries.hot;
import static io.penstock.bench.local.LocalEntries.keyed;
import static io.penstock.bench.local.LocalEntries.twoLimits;

import io.penstock.bench.contest.Contest;
import io.penstock.bench.contest.Entry;
import io.penstock.bench.contest.Schedule;
import io.penstock.bench.contest.Standings;
import io.penstock.bench.report.Bars;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import java.util.List;

/** Measures Penstock and its peers on one key and on many. */
public final class LimiterPart {
  private LimiterPart() {}

  public static Findings measure(boolean quick) {
    Standings standings = new Contest(Schedule.of(quick)).run(LocalEntries.all());
    return new Findings(
        standings.tables(), HotContender.NOTES, ratios(standings), List.of(plot(standings)));
  }

  private static Bars plot(Standings standings) {
    Bars.Builder bars = new Bars.Builder();
    for (KeyedContender contender : KeyedContender.values()) {
      bars.add(
          contender.label,
          standings.score(LocalEntries.keyed(contender, MAX_THREADS)).opsPerSecond() / 1e6);
    }
    return bars.build(
        "local", "A million keys in one process", "million decisions per second, 2 threads");
  }

  /**
   * Returns the ratios. Bucket4j is lock-free by default, so its plain name stands for that
   * variant. In the hot-key tables it is a single bucket; {@code hot-bucket} compares it with
   * Penstock without a key.
   */
  private static List<Ratio> ratios(Standings standings) {
    Race race = new Race(standings);
    return List.of(
        race.keyed("keyed.bucket4j-caffeine", BUCKET4J_LOCK_FREE_CAFFEINE),
        race.keyed("keyed.bucket4j-map", BUCKET4J_LOCK_FREE_MAP),
        race.hot("hot.bucket4j", PENSTOCK, LocalLimits.ALLOWED, BUCKET4J_LOCK_FREE),
        race.hot("hot-denied.bucket4j", PENSTOCK, LocalLimits.DENIED, BUCKET4J_LOCK_FREE),
        race.hot(
            "hot-bucket.bucket4j", PENSTOCK_WITHOUT_KEY, LocalLimits.ALLOWED, BUCKET4J_LOCK_FREE),
        race.hot(
            "hot-bucket-denied.bucket4j",
            PENSTOCK_WITHOUT_KEY,
            LocalLimits.DENIED,
            BUCKET4J_LOCK_FREE),
        race.keyed("keyed.bucket4j-synchronized-caffeine", BUCKET4J_SYNCHRONIZED_CAFFEINE),
        race.keyed("keyed.bucket4j-synchronized-map", BUCKET4J_SYNCHRONIZED_MAP),
        race.hot("hot.bucket4j-synchronized", PENSTOCK, LocalLimits.ALLOWED, BUCKET4J_SYNCHRONIZED),
        race.hot(
            "hot-denied.bucket4j-synchronized",
            PENSTOCK,
            LocalLimits.DENIED,
            BUCKET4J_SYNCHRONIZED),
        Ratio.bytesPerOp("local.alloc", allocation(standings)));
  }

  /** The throughput of Penstock divided by that of a peer, with two threads. */
  private record Race(Standings standings) {
    Ratio keyed(String name, KeyedContender peer) {
      Entry penstock = LocalEntries.keyed(KeyedContender.PENSTOCK, MAX_THREADS);
      return Ratio.of(
          "local." + name, standings.ratio(penstock, LocalEntries.keyed(peer, MAX_THREADS)));
    }

    Ratio hot(String name, HotContender penstock, LocalLimits limits, HotContender peer) {
      return Ratio.of(
          "local." + name,
          standings.ratio(
              LocalEntries.hot(penstock, limits, MAX_THREADS),
              LocalEntries.hot(peer, limits, MAX_THREADS)));
    }
  }

  private static double allocation(Standings standings) {
    return standings.maxBytesPerOp(
        hot(HotContender.PENSTOCK, LocalLimits.ALLOWED, 1),
        hot(HotContender.PENSTOCK, LocalLimits.ALLOWED, MAX_THREADS),
        hot(HotContender.PENSTOCK, LocalLimits.DENIED, 1),
        hot(HotContender.PENSTOCK, LocalLimits.DENIED, MAX_THREADS),
        keyed(KeyedContender.PENSTOCK, 1),
        keyed(KeyedContender.PENSTOCK, MAX_THREADS),
        twoLimits(1),
        twoLimits(MAX_THREADS));
  }
}
