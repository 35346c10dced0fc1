package io.penstock.bench.contest;

import io.penstock.bench.report.Estimate;
import io.penstock.bench.report.ReportTable;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The scores of all entries of a contest. */
public record Standings(Map<Entry, Score> scores) {
  /** Returns the throughput of an entry divided by that of its fastest peer. */
  public Estimate ratio(Entry entry, Entry... peers) {
    Score best =
        Arrays.stream(peers)
            .map(this::score)
            .max(Comparator.comparingDouble(Score::opsPerSecond))
            .orElseThrow();
    return Estimate.ofRatios(score(entry).rounds(), best.rounds());
  }

  public double maxBytesPerOp(Entry... entries) {
    return Arrays.stream(entries)
        .mapToDouble(entry -> score(entry).bytesPerOp())
        .max()
        .orElseThrow();
  }

  /** Returns a table for each row, in order of first appearance. */
  public List<ReportTable> tables() {
    Map<Row, ReportTable> tables = new LinkedHashMap<>();
    scores.forEach(
        (entry, score) -> tables.computeIfAbsent(entry.row(), Standings::header).add(line(entry)));
    return List.copyOf(tables.values());
  }

  private static ReportTable header(Row row) {
    return new ReportTable(row.toString(), "", "M ops/s", "min..max", "ns/op", "bytes/op", "forks");
  }

  private String[] line(Entry entry) {
    Score score = score(entry);
    double opsPerThread = score.opsPerSecond() / entry.row().threads();
    return new String[] {
      entry.contender(),
      format("%.2f", score.opsPerSecond() / 1e6),
      format("%.2f..%.2f", score.min() / 1e6, score.max() / 1e6),
      format("%.1f", 1e9 / opsPerThread),
      format("%.1f", score.bytesPerOp()),
      format("%d", score.samples().size())
    };
  }

  /** Returns the score of an entry. */
  public Score score(Entry entry) {
    return Objects.requireNonNull(scores.get(entry), entry::toString);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
