package io.penstock.bench.redis;

import static io.penstock.bench.redis.RedisContender.LUA_EVAL_SHA;
import static io.penstock.bench.redis.RedisContender.PENSTOCK;

import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

/** The readings by round trip time. Not thread-safe. */
final class NetworkResults {
  private static final Duration REFERENCE_ROUND_TRIP = Duration.ofMillis(1);
  private static final Cell REFERENCE = new Cell(Workload.HOT_KEY, 256);

  /** A column of the tables, with the medians of a figure. */
  private record Column(String header, String pattern, Function<Reading, Double> of) {
    String format(double value) {
      return String.format(Locale.ROOT, pattern, value);
    }
  }

  private static final List<Column> COLUMNS =
      List.of(
          new Column("decisions/s", "%,.0f", Reading::perSecond),
          new Column("p50 µs", "%,.0f", Reading::p50Micros),
          new Column("p99 µs", "%,.0f", Reading::p99Micros),
          new Column("p99.9 µs", "%,.0f", Reading::p999Micros),
          new Column("server µs/req", "%.2f", Reading::serverMicrosPerRequest),
          new Column("client µs/req", "%.2f", Reading::clientMicrosPerRequest),
          new Column("relay µs/req", "%.2f", Reading::relayMicrosPerRequest),
          new Column("wire bytes/req", "%,.0f", Reading::wireBytesPerRequest),
          new Column("redis calls/req", "%.4f", Reading::callsPerRequest));

  private final Map<Duration, Readings> byRoundTrip = new LinkedHashMap<>();

  private final RunLog log;

  NetworkResults(RunLog log) {
    this.log = log;
  }

  /** Penstock compared with one EVALSHA per request, by one figure of one cell. */
  private record Comparison(String figure, Duration roundTrip, Cell cell, Estimate ratio) {
    double value() {
      return ratio.value();
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%s: %.2f (%s, %s)", figure, value(), label(roundTrip), cell);
    }
  }

  /** Adds a reading. Fails if the contender did not allow the requests. */
  void add(Duration roundTrip, Cell cell, RedisContender contender, Reading reading) {
    byRoundTrip
        .computeIfAbsent(
            roundTrip, unused -> new Readings(log, "round trip " + label(roundTrip) + ", "))
        .add(cell, contender, reading);
  }

  static String label(Duration roundTrip) {
    return String.format(Locale.ROOT, "%s ms", roundTrip.toNanos() / 1e6).replace(".0 ", " ");
  }

  List<Ratio> ratios() {
    List<Ratio> ratios = new ArrayList<>();
    ratios.add(Ratio.of("redis.network.worst", worstThroughput().ratio));
    ratios.add(Ratio.of("redis.network.latency", worstLatency().ratio));
    Readings reference = byRoundTrip.get(REFERENCE_ROUND_TRIP);
    if (reference != null && reference.cells().contains(REFERENCE)) {
      ratios.add(
          Ratio.of(
              "redis.network.hot.1ms.256", reference.ratio(REFERENCE, PENSTOCK, LUA_EVAL_SHA)));
    }
    return ratios;
  }

  /** Names the cells of the worst ratios. */
  String worst() {
    return "Lowest ratio of %s.\nHighest ratio of %s.\n"
        .formatted(worstThroughput(), worstLatency());
  }

  private Comparison worstThroughput() {
    return compare("throughput", Reading::perSecond)
        .min(Comparator.comparingDouble(Comparison::value))
        .orElseThrow();
  }

  private Comparison worstLatency() {
    return Stream.concat(compare("p50", Reading::p50Micros), compare("p99", Reading::p99Micros))
        .max(Comparator.comparingDouble(Comparison::value))
        .orElseThrow();
  }

  private Stream<Comparison> compare(String figure, Function<Reading, Double> of) {
    return byRoundTrip.entrySet().stream()
        .flatMap(
            entry ->
                entry.getValue().cells().stream()
                    .map(
                        cell ->
                            new Comparison(
                                figure,
                                entry.getKey(),
                                cell,
                                entry.getValue().ratio(cell, PENSTOCK, LUA_EVAL_SHA, of))));
  }

  /** Returns a table for each round trip time and workload. */
  List<ReportTable> tables() {
    List<ReportTable> tables = new ArrayList<>();
    for (Duration roundTrip : byRoundTrip.keySet()) {
      Readings readings = Objects.requireNonNull(byRoundTrip.get(roundTrip));
      readings.cells().stream()
          .map(Cell::workload)
          .distinct()
          .forEach(workload -> tables.add(table(roundTrip, workload, readings)));
    }
    return tables;
  }

  private static ReportTable table(Duration roundTrip, Workload workload, Readings readings) {
    ReportTable table =
        new ReportTable(
            "round trip %s, %s, allowed".formatted(label(roundTrip), workload.label),
            cells("", Column::header));
    for (Cell cell : readings.cells()) {
      if (cell.workload() == workload) {
        for (RedisContender contender : readings.contenders(cell)) {
          table.add(
              cells(
                  cell.callersLabel() + ", " + contender.label,
                  column -> column.format(readings.median(cell, contender, column.of))));
        }
      }
    }
    return table;
  }

  private static String[] cells(String first, Function<Column, String> others) {
    return Stream.concat(Stream.of(first), COLUMNS.stream().map(others)).toArray(String[]::new);
  }
}
