package io.penstock.bench.redis;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Curves;
import io.penstock.bench.report.Curves.Curve;
import io.penstock.bench.report.Curves.Point;
import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/** The readings of all rounds. Not thread-safe. */
final class Readings {
  private static final double MIN_ALLOWED = 0.999;

  private final Map<Cell, Map<RedisContender, List<Reading>>> readings = new LinkedHashMap<>();
  private final RunLog log;
  private final String conditions;

  /**
   * @param conditions the common conditions of all cells, for the log
   */
  Readings(RunLog log, String conditions) {
    this.log = log;
    this.conditions = conditions;
  }

  /** Adds a reading. Fails if the contender did not allow the requests. */
  void add(Cell cell, RedisContender contender, Reading reading) {
    List<Reading> rounds =
        readings
            .computeIfAbsent(cell, unused -> new TreeMap<>())
            .computeIfAbsent(contender, unused -> new ArrayList<>());
    reading.log(log, conditions + cell, contender.label, rounds.size() + 1);
    Tally tally = reading.tally();
    long answered = contender.givesUp() ? tally.allowed() + tally.denied() : tally.requests();
    if (answered == 0 || tally.allowed() < MIN_ALLOWED * answered) {
      throw new FailedRunException(
          "%s, %s: %d of %d decisions were ALLOWED, less than 99.9 %%"
              .formatted(cell, contender.label, tally.allowed(), answered));
    }
    rounds.add(reading);
  }

  /** Returns the measured cells, in the order of their first readings. */
  List<Cell> cells() {
    return List.copyOf(readings.keySet());
  }

  /** Returns the contenders of a cell, in the order of their declaration. */
  List<RedisContender> contenders(Cell cell) {
    return List.copyOf(Objects.requireNonNull(readings.get(cell)).keySet());
  }

  double median(Cell cell, RedisContender contender, Function<Reading, Double> of) {
    return Estimate.median(rounds(cell, contender, of));
  }

  /** Returns the median with its interval. */
  Estimate estimate(Cell cell, RedisContender contender, Function<Reading, Double> of) {
    return Estimate.of(rounds(cell, contender, of));
  }

  /** Returns the throughput of one contender divided by that of another. */
  Estimate ratio(Cell cell, RedisContender contender, RedisContender peer) {
    return ratio(cell, contender, peer, Reading::perSecond);
  }

  /** Returns a figure of one contender divided by that of another. */
  Estimate ratio(
      Cell cell, RedisContender contender, RedisContender peer, Function<Reading, Double> of) {
    return Estimate.ofRatios(rounds(cell, contender, of), rounds(cell, peer, of));
  }

  private List<Double> rounds(Cell cell, RedisContender contender, Function<Reading, Double> of) {
    return Objects.requireNonNull(Objects.requireNonNull(readings.get(cell)).get(contender))
        .stream()
        .map(of)
        .toList();
  }

  /** Plots the decisions per second by number of callers, for all contenders. */
  Curves plot(String name, Workload workload) {
    List<Cell> cells =
        readings.keySet().stream().filter(cell -> cell.workload() == workload).toList();
    List<Curve> curves =
        Objects.requireNonNull(readings.get(cells.get(0))).keySet().stream()
            .map(contender -> new Curve(contender.label, points(cells, contender)))
            .toList();
    String title = "Decisions of one Redis, " + workload.label;
    return new Curves(name, title, "callers", "per second", curves);
  }

  private List<Point> points(List<Cell> cells, RedisContender contender) {
    return cells.stream()
        .map(cell -> new Point(cell.callers(), perSecond(cell, contender)))
        .toList();
  }

  /** Returns the median decisions per second. */
  double perSecond(Cell cell, RedisContender contender) {
    return 1e9 / median(cell, contender, Reading::nanosPerRequest);
  }

  List<ReportTable> tables() {
    return readings.keySet().stream().map(this::table).toList();
  }

  private ReportTable table(Cell cell) {
    ReportTable table =
        new ReportTable(
            cell + ", allowed",
            "",
            "ns/op",
            "min..max",
            "redis calls/req",
            "bytes/op",
            "server µs/req",
            "gave up %");
    Objects.requireNonNull(readings.get(cell))
        .keySet()
        .forEach(contender -> table.add(line(cell, contender)));
    return table;
  }

  private String[] line(Cell cell, RedisContender contender) {
    List<Double> nanos = rounds(cell, contender, Reading::nanosPerRequest);
    return new String[] {
      contender.label,
      format("%,.0f", median(cell, contender, Reading::nanosPerRequest)),
      format("%,.0f..%,.0f", Collections.min(nanos), Collections.max(nanos)),
      format("%.4f", median(cell, contender, Reading::callsPerRequest)),
      format("%,.0f", median(cell, contender, Reading::bytesPerRequest)),
      format("%.2f", median(cell, contender, Reading::serverMicrosPerRequest)),
      format("%.1f", median(cell, contender, Reading::gaveUpPercent))
    };
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
