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

/** Penstock and its peers, on one key and on many. */
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
        "local", "A million keys in one process", "million decisions a second, 2 threads");
  }

  /**
   * Bucket4j is lock-free unless told otherwise, so that is whom its plain name stands for. It is
   * one bucket where a row has one key; {@code hot-bucket} compares it with Penstock without a key.
   */
  private static List<Ratio> ratios(Standings standings) {
    Race race = new Race(standings);
    return List.of(
        race.keyed("keyed.bucket4j-caffeine", BUCKET4J_LOCK_FREE_CAFFEINE),
        race.keyed("keyed.bucket4j-map", BUCKET4J_LOCK_FREE_MAP),
        race.hot("hot.bucket4j", PENSTOCK, Terms.ALLOWED, BUCKET4J_LOCK_FREE),
        race.hot("hot-denied.bucket4j", PENSTOCK, Terms.DENIED, BUCKET4J_LOCK_FREE),
        race.hot("hot-bucket.bucket4j", PENSTOCK_WITHOUT_KEY, Terms.ALLOWED, BUCKET4J_LOCK_FREE),
        race.hot(
            "hot-bucket-denied.bucket4j", PENSTOCK_WITHOUT_KEY, Terms.DENIED, BUCKET4J_LOCK_FREE),
        race.keyed("keyed.bucket4j-synchronized-caffeine", BUCKET4J_SYNCHRONIZED_CAFFEINE),
        race.keyed("keyed.bucket4j-synchronized-map", BUCKET4J_SYNCHRONIZED_MAP),
        race.hot("hot.bucket4j-synchronized", PENSTOCK, Terms.ALLOWED, BUCKET4J_SYNCHRONIZED),
        race.hot("hot-denied.bucket4j-synchronized", PENSTOCK, Terms.DENIED, BUCKET4J_SYNCHRONIZED),
        Ratio.bytesPerOp("local.alloc", allocation(standings)));
  }

  /** Penstock's throughput over that of a peer, by two threads. */
  private record Race(Standings standings) {
    Ratio keyed(String name, KeyedContender peer) {
      Entry penstock = LocalEntries.keyed(KeyedContender.PENSTOCK, MAX_THREADS);
      return Ratio.of(
          "local." + name, standings.ratio(penstock, LocalEntries.keyed(peer, MAX_THREADS)));
    }

    Ratio hot(String name, HotContender penstock, Terms terms, HotContender peer) {
      return Ratio.of(
          "local." + name,
          standings.ratio(
              LocalEntries.hot(penstock, terms, MAX_THREADS),
              LocalEntries.hot(peer, terms, MAX_THREADS)));
    }
  }

  private static double allocation(Standings standings) {
    return standings.mostBytesPerOp(
        hot(HotContender.PENSTOCK, Terms.ALLOWED, 1),
        hot(HotContender.PENSTOCK, Terms.ALLOWED, MAX_THREADS),
        hot(HotContender.PENSTOCK, Terms.DENIED, 1),
        hot(HotContender.PENSTOCK, Terms.DENIED, MAX_THREADS),
        keyed(KeyedContender.PENSTOCK, 1),
        keyed(KeyedContender.PENSTOCK, MAX_THREADS),
        twoLimits(1),
        twoLimits(MAX_THREADS));
  }
}
