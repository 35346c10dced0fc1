package io.penstock.bench.local;

import static io.penstock.bench.local.HotContender.BUCKET4J_LOCK_FREE;
import static io.penstock.bench.local.HotContender.BUCKET4J_SYNCHRONIZED;
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

  private static List<Ratio> ratios(Standings standings, MemoryTable memory) {
    Entry penstock = keyed(KeyedContender.PENSTOCK, MOST_THREADS);
    double caffeine =
        standings.ratio(
            penstock,
            keyed(KeyedContender.BUCKET4J_LOCK_FREE_CAFFEINE, MOST_THREADS),
            keyed(KeyedContender.BUCKET4J_SYNCHRONIZED_CAFFEINE, MOST_THREADS));
    double map =
        standings.ratio(
            penstock,
            keyed(KeyedContender.BUCKET4J_LOCK_FREE_MAP, MOST_THREADS),
            keyed(KeyedContender.BUCKET4J_SYNCHRONIZED_MAP, MOST_THREADS));
    return List.of(
        Ratio.of("local.keyed.bucket4j-caffeine", caffeine),
        Ratio.of("local.keyed.bucket4j-map", map),
        hotRatio("local.hot.bucket4j", standings, Terms.ALLOWED, BUCKET4J_LOCK_FREE),
        hotRatio("local.hot-denied.bucket4j", standings, Terms.DENIED, BUCKET4J_LOCK_FREE),
        hotRatio(
            "local.hot.bucket4j-synchronized", standings, Terms.ALLOWED, BUCKET4J_SYNCHRONIZED),
        hotRatio(
            "local.hot-denied.bucket4j-synchronized",
            standings,
            Terms.DENIED,
            BUCKET4J_SYNCHRONIZED),
        Ratio.bytesPerOp("local.alloc", allocation(standings)),
        Ratio.of("local.memory", memory.bytesPerKey(KeyedContender.PENSTOCK)));
  }

  /** Bucket4j is lock-free unless told otherwise, so that is whom its plain name stands for. */
  private static Ratio hotRatio(
      String name, Standings standings, Terms terms, HotContender contender) {
    return Ratio.of(
        name,
        standings.ratio(
            hot(HotContender.PENSTOCK, terms, MOST_THREADS), hot(contender, terms, MOST_THREADS)));
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
