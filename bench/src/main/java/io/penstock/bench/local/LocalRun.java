package io.penstock.bench.local;

import static io.penstock.bench.local.HotContender.BUCKET4J_LOCK_FREE;
import static io.penstock.bench.local.HotContender.BUCKET4J_SYNCHRONIZED;
import static io.penstock.bench.local.HotContender.PENSTOCK;
import static io.penstock.bench.local.HotContender.PENSTOCK_WITHOUT_KEY;
import static io.penstock.bench.local.KeyedContender.BUCKET4J_LOCK_FREE_CAFFEINE;
import static io.penstock.bench.local.KeyedContender.BUCKET4J_LOCK_FREE_MAP;
import static io.penstock.bench.local.KeyedContender.BUCKET4J_SYNCHRONIZED_CAFFEINE;
import static io.penstock.bench.local.KeyedContender.BUCKET4J_SYNCHRONIZED_MAP;
import static io.penstock.bench.local.LocalEntries.MOST_THREADS;
import static io.penstock.bench.local.LocalEntries.hot;
import static io.penstock.bench.local.LocalEntries.keyed;
import static io.penstock.bench.local.LocalEntries.twoLimits;

import io.penstock.bench.contest.Contest;
import io.penstock.bench.contest.Entry;
import io.penstock.bench.contest.Schedule;
import io.penstock.bench.contest.Standings;
import io.penstock.bench.report.Machine;
import io.penstock.bench.report.Ratio;
import java.io.IOException;
import java.util.List;

/** {@code bench/run local}: tables, then the RATIO lines. */
public final class LocalRun {
  private LocalRun() {}

  public static void run(boolean quick) throws IOException, InterruptedException {
    System.out.println(Machine.describe());
    Standings standings =
        new Contest(quick ? Schedule.QUICK : Schedule.FULL).run(LocalEntries.all());
    MemoryTable memory = MemoryTable.measure(quick);

    standings.tables().forEach(System.out::println);
    System.out.println(memory);
    System.out.println(HotContender.NOTES);
    ratios(standings, memory).forEach(System.out::println);
  }

  /**
   * Bucket4j is lock-free unless told otherwise, so that is whom its plain name stands for. It is
   * one bucket where a row has one key; {@code hot-bucket} compares it with Penstock without a key.
   */
  private static List<Ratio> ratios(Standings standings, MemoryTable memory) {
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
        Ratio.bytesPerOp("local.alloc", allocation(standings)),
        Ratio.of("local.memory", memory.bytesPerKey(KeyedContender.PENSTOCK)));
  }

  /** Penstock's throughput over that of a peer, by two threads. */
  private record Race(Standings standings) {
    Ratio keyed(String name, KeyedContender peer) {
      Entry penstock = LocalEntries.keyed(KeyedContender.PENSTOCK, MOST_THREADS);
      return Ratio.of(
          "local." + name, standings.ratio(penstock, LocalEntries.keyed(peer, MOST_THREADS)));
    }

    Ratio hot(String name, HotContender penstock, Terms terms, HotContender peer) {
      return Ratio.of(
          "local." + name,
          standings.ratio(
              LocalEntries.hot(penstock, terms, MOST_THREADS),
              LocalEntries.hot(peer, terms, MOST_THREADS)));
    }
  }

  private static double allocation(Standings standings) {
    return standings.mostBytesPerOp(
        hot(HotContender.PENSTOCK, Terms.ALLOWED, 1),
        hot(HotContender.PENSTOCK, Terms.ALLOWED, MOST_THREADS),
        hot(HotContender.PENSTOCK, Terms.DENIED, 1),
        hot(HotContender.PENSTOCK, Terms.DENIED, MOST_THREADS),
        keyed(KeyedContender.PENSTOCK, 1),
        keyed(KeyedContender.PENSTOCK, MOST_THREADS),
        twoLimits(1),
        twoLimits(MOST_THREADS));
  }
}
