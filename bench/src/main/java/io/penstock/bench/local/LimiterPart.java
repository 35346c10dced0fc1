package io.penstock.bench.local;

import static io.penstock.bench.local.HotContender.PENSTOCK;
import static io.penstock.bench.local.HotContender.PENSTOCK_WITHOUT_KEY;
import static io.penstock.bench.local.LocalEntries.MAX_THREADS;
import static io.penstock.bench.local.LocalEntries.hot;
import static io.penstock.bench.local.LocalEntries.keyed;
import static io.penstock.bench.local.LocalEntries.twoLimits;

import io.penstock.bench.contest.Collector;
import io.penstock.bench.contest.Contest;
import io.penstock.bench.contest.Entry;
import io.penstock.bench.contest.Schedule;
import io.penstock.bench.contest.Standings;
import io.penstock.bench.report.Bars;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Measures Penstock and its peers on one key and on many. */
public final class LimiterPart {
  private final Standings standings;

  private LimiterPart(Standings standings) {
    this.standings = standings;
  }

  public static Findings measure(boolean quick, RunLog log) {
    LimiterPart part =
        new LimiterPart(new Contest(Schedule.of(quick), log).run(LocalEntries.all()));
    return new Findings(
        Stream.concat(Stream.of(part.collectors()), part.standings.tables().stream()).toList(),
        HotContender.NOTES,
        part.ratios(),
        List.of(part.hotPlot(), part.keyedPlot()));
  }

  private Bars hotPlot() {
    Bars.Builder bars = new Bars.Builder();
    for (HotContender contender : HotContender.values()) {
      if (contender != HotContender.NANO_TIME) {
        bars.add(contender.label, millions(hot(contender, LocalLimits.ALLOWED, MAX_THREADS)));
      }
    }
    return bars.build(
        "hot", "One key in one process", "million decisions per second, 2 threads, allowed");
  }

  private Bars keyedPlot() {
    Bars.Builder bars = new Bars.Builder();
    for (KeyedContender contender : KeyedContender.values()) {
      bars.add(contender.label, millions(keyed(contender, MAX_THREADS, Collector.G1)));
    }
    return bars.build(
        "local", "A million keys in one process", "million decisions per second, 2 threads, G1");
  }

  private ReportTable collectors() {
    ReportTable table =
        new ReportTable(
            "1M keys, allowed, by collector, in M ops/s",
            "",
            "G1, 1 thread",
            "ParallelGC, 1 thread",
            "G1, 2 threads",
            "ParallelGC, 2 threads");
    for (KeyedContender contender : KeyedContender.values()) {
      table.add(
          contender.label,
          format(keyed(contender, 1, Collector.G1)),
          format(keyed(contender, 1, Collector.PARALLEL)),
          format(keyed(contender, MAX_THREADS, Collector.G1)),
          format(keyed(contender, MAX_THREADS, Collector.PARALLEL)));
    }
    return table;
  }

  private String format(Entry entry) {
    return String.format(Locale.ROOT, "%.2f", millions(entry));
  }

  private double millions(Entry entry) {
    return standings.score(entry).opsPerSecond() / 1e6;
  }

  /**
   * Returns the ratios, with two threads unless the name has another number. Bucket4j is lock-free
   * by default, so its plain name stands for that variant. In the hot-key tables it is a single
   * bucket; {@code hot-bucket} compares it with Penstock without a key.
   */
  private List<Ratio> ratios() {
    return List.of(
        keyedRatio("keyed.bucket4j-caffeine", KeyedContender.BUCKET4J_LOCK_FREE_CAFFEINE),
        keyedRatio("keyed.bucket4j-map", KeyedContender.BUCKET4J_LOCK_FREE_MAP),
        hotRatio("hot.bucket4j", PENSTOCK, LocalLimits.ALLOWED, HotContender.BUCKET4J_LOCK_FREE),
        bestHotPeer("hot.best-peer", LocalLimits.ALLOWED, MAX_THREADS),
        clock(),
        Ratio.bytesPerOp("local.alloc", allocation()),
        bestHotPeer("hot.1-thread.best-peer", LocalLimits.ALLOWED, 1),
        bestHotPeer("hot-denied.best-peer", LocalLimits.DENIED, MAX_THREADS),
        bestHotPeer("hot-denied.1-thread.best-peer", LocalLimits.DENIED, 1),
        bestKeyedPeer("keyed.best-peer", MAX_THREADS, Collector.G1),
        bestKeyedPeer("keyed.1-thread.best-peer", 1, Collector.G1),
        bestKeyedPeer("keyed.parallel.best-peer", MAX_THREADS, Collector.PARALLEL),
        parallelRatio(
            "keyed.parallel.bucket4j-caffeine", KeyedContender.BUCKET4J_LOCK_FREE_CAFFEINE),
        parallelRatio("keyed.parallel.bucket4j-map", KeyedContender.BUCKET4J_LOCK_FREE_MAP),
        hotRatio(
            "hot-bucket.bucket4j",
            PENSTOCK_WITHOUT_KEY,
            LocalLimits.ALLOWED,
            HotContender.BUCKET4J_LOCK_FREE),
        hotRatio(
            "hot-denied.bucket4j", PENSTOCK, LocalLimits.DENIED, HotContender.BUCKET4J_LOCK_FREE),
        keyedRatio(
            "keyed.bucket4j-synchronized-caffeine", KeyedContender.BUCKET4J_SYNCHRONIZED_CAFFEINE),
        keyedRatio("keyed.bucket4j-synchronized-map", KeyedContender.BUCKET4J_SYNCHRONIZED_MAP),
        hotRatio(
            "hot.bucket4j-synchronized",
            PENSTOCK,
            LocalLimits.ALLOWED,
            HotContender.BUCKET4J_SYNCHRONIZED));
  }

  private Ratio keyedRatio(String name, KeyedContender peer) {
    return ratio(name, penstock(MAX_THREADS, Collector.G1), keyed(peer, MAX_THREADS, Collector.G1));
  }

  private Ratio parallelRatio(String name, KeyedContender peer) {
    return ratio(
        name,
        penstock(MAX_THREADS, Collector.PARALLEL),
        keyed(peer, MAX_THREADS, Collector.PARALLEL));
  }

  private Ratio bestKeyedPeer(String name, int threads, Collector collector) {
    return ratio(
        name,
        penstock(threads, collector),
        KeyedContender.peers().map(peer -> keyed(peer, threads, collector)).toArray(Entry[]::new));
  }

  private Ratio hotRatio(
      String name, HotContender penstock, LocalLimits limits, HotContender peer) {
    return ratio(name, hot(penstock, limits, MAX_THREADS), hot(peer, limits, MAX_THREADS));
  }

  private Ratio bestHotPeer(String name, LocalLimits limits, int threads) {
    return ratio(
        name,
        hot(PENSTOCK, limits, threads),
        HotContender.peers().map(peer -> hot(peer, limits, threads)).toArray(Entry[]::new));
  }

  /** Returns the time of a denial divided by that of reading the clock. */
  private Ratio clock() {
    return ratio(
        "hot-denied.clock",
        hot(HotContender.NANO_TIME, LocalLimits.DENIED, MAX_THREADS),
        hot(PENSTOCK, LocalLimits.DENIED, MAX_THREADS));
  }

  private Ratio ratio(String name, Entry entry, Entry... peers) {
    return Ratio.of("local." + name, standings.ratio(entry, peers));
  }

  private static Entry penstock(int threads, Collector collector) {
    return keyed(KeyedContender.PENSTOCK, threads, collector);
  }

  private double allocation() {
    return standings.maxBytesPerOp(
        hot(PENSTOCK, LocalLimits.ALLOWED, 1),
        hot(PENSTOCK, LocalLimits.ALLOWED, MAX_THREADS),
        hot(PENSTOCK, LocalLimits.DENIED, 1),
        hot(PENSTOCK, LocalLimits.DENIED, MAX_THREADS),
        penstock(1, Collector.G1),
        penstock(MAX_THREADS, Collector.G1),
        twoLimits(1),
        twoLimits(MAX_THREADS));
  }
}
