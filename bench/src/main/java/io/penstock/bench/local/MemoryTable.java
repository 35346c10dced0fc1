package io.penstock.bench.local;

import io.penstock.bench.report.Bars;
import io.penstock.bench.report.Progress;
import io.penstock.bench.report.ReportTable;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The memory per key, as a table and a chart. */
final class MemoryTable {
  private static final double EXPECTED_SECONDS = 4;
  private static final int MANY = 10_000_000;

  private record Size(KeyedContender contender, int keys, double bytesPerKey) {}

  private final List<Size> sizes = new ArrayList<>();

  private final RunLog log;

  private MemoryTable(RunLog log) {
    this.log = log;
  }

  static MemoryTable measure(boolean quick, RunLog log) throws IOException, InterruptedException {
    MemoryTable table = new MemoryTable(log);
    KeyedContender[] contenders = KeyedContender.values();
    Progress progress = new Progress(contenders.length + (quick ? 0 : 1), EXPECTED_SECONDS);
    for (KeyedContender contender : contenders) {
      table.measure(progress, contender, ManyKeys.KEYS);
    }
    if (!quick) {
      table.measure(progress, KeyedContender.PENSTOCK, MANY);
    }
    progress.done();
    return table;
  }

  private void measure(Progress progress, KeyedContender contender, int keys)
      throws IOException, InterruptedException {
    progress.next("memory: %s, %d keys".formatted(contender.label, keys));
    double bytesPerKey = bytesPerKey(contender, keys);
    sizes.add(new Size(contender, keys, bytesPerKey));
    log.add(keys + " keys", contender.label, 1, "bytes/key", bytesPerKey);
  }

  private static double bytesPerKey(KeyedContender contender, int keys)
      throws IOException, InterruptedException {
    // G1 rounds large arrays up to whole regions; the serial collector counts the objects.
    List<String> options = List.of("-XX:+UseSerialGC", "-Xmx6g");
    String printed = ProbeProcess.run(MemoryProbe.class, options, contender.name(), "" + keys);
    return Double.parseDouble(printed) / keys;
  }

  double bytesPerKey(KeyedContender contender) {
    return sizes.stream()
        .filter(size -> size.contender == contender && size.keys == ManyKeys.KEYS)
        .findFirst()
        .orElseThrow()
        .bytesPerKey;
  }

  Bars plot() {
    Bars.Builder bars = new Bars.Builder();
    for (KeyedContender contender : KeyedContender.values()) {
      bars.add(contender.label, bytesPerKey(contender));
    }
    return bars.build(
        "memory", "Memory per key, with a million keys", "bytes, excluding the key's string");
  }

  ReportTable table() {
    ReportTable table =
        new ReportTable("memory, excluding the caller's strings", "", "keys", "bytes/key");
    for (Size size : sizes) {
      table.add(
          size.contender.label,
          String.format(Locale.ROOT, "%,d", size.keys),
          String.format(Locale.ROOT, "%.1f", size.bytesPerKey));
    }
    return table;
  }
}
