package io.penstock.bench.local;

import io.penstock.bench.contest.Contest;
import io.penstock.bench.contest.Entry;
import io.penstock.bench.contest.Entry.Repetition;
import io.penstock.bench.contest.Row;
import io.penstock.bench.contest.Schedule;
import io.penstock.bench.contest.Standings;
import io.penstock.bench.report.Curves;
import io.penstock.bench.report.Curves.Curve;
import io.penstock.bench.report.Curves.Point;
import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.RunLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Measures in-process decisions by number of keys. */
public final class KeysPart {
  private static final int MIN = 1_000;
  private static final int MAX = 10_000_000;

  /** Ten million buckets of the contender that needs the most memory, and their names twice. */
  private static final String HEAP = "10g";

  private static final int THREADS = 2;
  private static final List<KeyedContender> CONTENDERS =
      List.of(
          KeyedContender.PENSTOCK,
          KeyedContender.BUCKET4J_LOCK_FREE_MAP,
          KeyedContender.BUCKET4J_LOCK_FREE_CAFFEINE);

  private static final String NOTES =
      """
      Two threads cycle through all keys, each from a different offset. With few keys, the tables fit into
      the CPU caches; with many, each decision waits for memory.
      """;

  private KeysPart() {}

  public static Findings measure(boolean quick, RunLog log) {
    List<Entry> entries = new ArrayList<>();
    for (int keys = MIN; keys <= (quick ? MAX / 10 : MAX); keys *= 10) {
      for (KeyedContender contender : CONTENDERS) {
        entries.add(entry(contender, keys));
      }
    }
    Standings standings = new Contest(Schedule.of(quick).withFewForks(), HEAP, log).run(entries);
    return new Findings(
        standings.tables(),
        NOTES,
        List.of(Ratio.of("growth.keys", growth(standings, entries))),
        List.of(plot(standings, entries)));
  }

  private static Entry entry(KeyedContender contender, int keys) {
    return new Entry(
        new Row(
            String.format(Locale.ROOT, "%,d keys, allowed", keys),
            LocalLimits.KEPT.outcome(),
            THREADS),
        contender.label,
        ManyKeys.class.getName() + ".tryAcquire",
        Map.of("contender", contender.name(), "limits", LocalLimits.KEPT.name(), "keys", "" + keys),
        Repetition.NORMAL);
  }

  /** Returns how many times as long Penstock takes with the most keys as with the fewest. */
  private static Estimate growth(Standings standings, List<Entry> entries) {
    List<Entry> own = of(KeyedContender.PENSTOCK, entries);
    return standings.ratio(own.get(0), own.get(own.size() - 1));
  }

  private static List<Entry> of(KeyedContender contender, List<Entry> entries) {
    return entries.stream().filter(entry -> entry.contender().equals(contender.label)).toList();
  }

  private static Curves plot(Standings standings, List<Entry> entries) {
    List<Curve> curves = new ArrayList<>();
    for (KeyedContender contender : CONTENDERS) {
      List<Point> points = new ArrayList<>();
      for (Entry entry : of(contender, entries)) {
        double keys = Double.parseDouble(String.valueOf(entry.parameters().get("keys")));
        points.add(new Point(keys, 1e9 * THREADS / standings.score(entry).opsPerSecond()));
      }
      curves.add(new Curve(contender.label, points));
    }
    return new Curves("keys", "In-process decision, by number of keys", "keys", "ns", curves);
  }
}
