package io.penstock.bench.local;

import io.penstock.bench.contest.Collector;
import io.penstock.bench.contest.Entry;
import io.penstock.bench.contest.Entry.Repetition;
import io.penstock.bench.contest.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The entries of all tables. */
final class LocalEntries {
  /** The number of threads in the tables that RATIO lines refer to. */
  static final int MAX_THREADS = 2;

  private LocalEntries() {}

  static List<Entry> all() {
    List<Entry> entries = new ArrayList<>();
    for (int threads = 1; threads <= MAX_THREADS; threads++) {
      for (HotContender contender : HotContender.values()) {
        entries.add(hot(contender, LocalLimits.ALLOWED, threads));
      }
      entries.add(take(threads));
      entries.add(twoLimits(threads));
      for (HotContender contender : HotContender.values()) {
        entries.add(hot(contender, LocalLimits.DENIED, threads));
      }
      for (Collector collector : Collector.values()) {
        for (KeyedContender contender : KeyedContender.values()) {
          entries.add(keyed(contender, threads, collector));
        }
      }
    }
    return entries;
  }

  static Entry hot(HotContender contender, LocalLimits limits, int threads) {
    return new Entry(
        hotRow(limits, threads),
        contender.label,
        HotKey.class.getName() + ".tryAcquire",
        parameters(contender, limits),
        hotRepetition(contender, limits, threads));
  }

  private static Repetition hotRepetition(HotContender contender, LocalLimits limits, int threads) {
    if (threads == 1) {
      return Repetition.NORMAL;
    }
    return limits == LocalLimits.DENIED || contender == HotContender.NANO_TIME
        ? Repetition.DECISIVE
        : Repetition.CONTENDED;
  }

  static Entry keyed(KeyedContender contender, int threads, Collector collector) {
    LocalLimits limits = LocalLimits.ALLOWED;
    String suffix = collector == Collector.G1 ? "" : ", ParallelGC";
    return new Entry(
        new Row("1M keys, allowed" + suffix, limits.outcome(), threads),
        contender.label,
        ManyKeys.class.getName() + ".tryAcquire",
        parameters(contender, limits),
        threads == MAX_THREADS ? Repetition.DECISIVE : Repetition.NORMAL,
        collector);
  }

  static Entry take(int threads) {
    return call("Penstock take", "take", threads);
  }

  static Entry twoLimits(int threads) {
    return call("Penstock, two limits at once", "twoLimits", threads);
  }

  private static Entry call(String label, String method, int threads) {
    String benchmark = PenstockCalls.class.getName() + "." + method;
    return new Entry(
        hotRow(LocalLimits.ALLOWED, threads), label, benchmark, Map.of(), Repetition.NORMAL);
  }

  private static Row hotRow(LocalLimits limits, int threads) {
    String outcome = limits.outcome().name().toLowerCase(Locale.ROOT);
    return new Row("hot key, " + outcome, limits.outcome(), threads);
  }

  private static Map<String, String> parameters(Enum<?> contender, LocalLimits limits) {
    return Map.of("contender", contender.name(), "limits", limits.name());
  }
}
