package io.penstock.bench.contest;

import io.penstock.bench.report.Table;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The scores of a contest. */
public record Standings(Map<Entry, Score> scores) {
  /** Throughput of an entry over that of the fastest of its peers. */
  public double ratio(Entry entry, Entry... peers) {
    double best =
        Arrays.stream(peers).mapToDouble(peer -> score(peer).opsPerSecond()).max().orElseThrow();
    return score(entry).opsPerSecond() / best;
  }

  public double mostBytesPerOp(Entry... entries) {
    return Arrays.stream(entries)
        .mapToDouble(entry -> score(entry).bytesPerOp())
        .max()
        .orElseThrow();
  }

  /** A table for each row, in the order in which rows first came up. */
  public List<Table> tables() {
    Map<Row, Table> tables = new LinkedHashMap<>();
    scores.forEach(
        (entry, score) -> tables.computeIfAbsent(entry.row(), Standings::head).add(line(entry)));
    return List.copyOf(tables.values());
  }

  private static Table head(Row row) {
    return new Table(row.toString(), "", "M ops/s", "min..max", "ns/op", "bytes/op", "forks");
  }

  private String[] line(Entry entry) {
    Score score = score(entry);
    double opsPerThread = score.opsPerSecond() / entry.row().threads();
    return new String[] {
      entry.contender(),
      format("%.2f", score.opsPerSecond() / 1e6),
      format("%.2f..%.2f", score.least() / 1e6, score.most() / 1e6),
      format("%.1f", 1e9 / opsPerThread),
      format("%.1f", score.bytesPerOp()),
      format("%d", score.samples().size())
    };
  }

  /** What an entry has measured. */
  public Score score(Entry entry) {
    return Objects.requireNonNull(scores.get(entry), entry::toString);
  }

  private static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
