package io.penstock.bench.local;

import io.penstock.bench.contest.Entry;
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
        if (contender != HotContender.NANO_TIME) {
          entries.add(hot(contender, LocalLimits.DENIED, threads));
        }
      }
      for (KeyedContender contender : KeyedContender.values()) {
        entries.add(keyed(contender, threads));
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
        threads == MAX_THREADS && contender.decisive());
  }

  static Entry keyed(KeyedContender contender, int threads) {
    LocalLimits limits = LocalLimits.ALLOWED;
    return new Entry(
        new Row("1M keys, allowed", limits.outcome(), threads),
        contender.label,
        ManyKeys.class.getName() + ".tryAcquire",
        parameters(contender, limits),
        threads == MAX_THREADS && contender != KeyedContender.GUAVA_MAP);
  }

  static Entry take(int threads) {
    return call("Penstock take", "take", threads);
  }

  static Entry twoLimits(int threads) {
    return call("Penstock, two limits at once", "twoLimits", threads);
  }

  private static Entry call(String label, String method, int threads) {
    String benchmark = PenstockCalls.class.getName() + "." + method;
    return new Entry(hotRow(LocalLimits.ALLOWED, threads), label, benchmark, Map.of(), false);
  }

  private static Row hotRow(LocalLimits limits, int threads) {
    String outcome = limits.outcome().name().toLowerCase(Locale.ROOT);
    return new Row("hot key, " + outcome, limits.outcome(), threads);
  }

  private static Map<String, String> parameters(Enum<?> contender, LocalLimits limits) {
    return Map.of("contender", contender.name(), "limits", limits.name());
  }
}
