package io.penstock.bench.local;

import io.penstock.bench.contest.Entry;
import io.penstock.bench.contest.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Who takes part in which row. */
final class LocalEntries {
  /** The threads of the rows that RATIO lines are about. */
  static final int MAX_THREADS = 2;

  private LocalEntries() {}

  static List<Entry> all() {
    List<Entry> entries = new ArrayList<>();
    for (int threads = 1; threads <= MAX_THREADS; threads++) {
      for (HotContender contender : HotContender.values()) {
        entries.add(hot(contender, Terms.ALLOWED, threads));
      }
      entries.add(decide(threads));
      entries.add(twoLimits(threads));
      for (HotContender contender : HotContender.values()) {
        if (contender != HotContender.NANO_TIME) {
          entries.add(hot(contender, Terms.DENIED, threads));
        }
      }
      for (KeyedContender contender : KeyedContender.values()) {
        entries.add(keyed(contender, threads));
      }
    }
    return entries;
  }

  static Entry hot(HotContender contender, Terms terms, int threads) {
    return new Entry(
        hotRow(terms, threads),
        contender.label,
        HotKey.class.getName() + ".tryAcquire",
        parameters(contender, terms),
        threads == MAX_THREADS && contender.decisive());
  }

  static Entry keyed(KeyedContender contender, int threads) {
    Terms terms = Terms.ALLOWED;
    return new Entry(
        new Row("1M keys, allowed", terms.outcome(), threads),
        contender.label,
        ManyKeys.class.getName() + ".tryAcquire",
        parameters(contender, terms),
        threads == MAX_THREADS && contender != KeyedContender.GUAVA_MAP);
  }

  static Entry decide(int threads) {
    return call("Penstock decide", "decide", threads);
  }

  static Entry twoLimits(int threads) {
    return call("Penstock, two limits at once", "twoLimits", threads);
  }

  private static Entry call(String label, String method, int threads) {
    String benchmark = PenstockCalls.class.getName() + "." + method;
    return new Entry(hotRow(Terms.ALLOWED, threads), label, benchmark, Map.of(), false);
  }

  private static Row hotRow(Terms terms, int threads) {
    String outcome = terms.outcome().name().toLowerCase(Locale.ROOT);
    return new Row("hot key, " + outcome, terms.outcome(), threads);
  }

  private static Map<String, String> parameters(Enum<?> contender, Terms terms) {
    return Map.of("contender", contender.name(), "terms", terms.name());
  }
}
