package io.penstock.bench.local;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.util.List;

/** Measures the memory per key of Penstock and its peers. */
public final class MemoryPart {
  private MemoryPart() {}

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    MemoryTable memory = MemoryTable.measure(quick, log);
    return new Findings(
        List.of(memory.table()),
        "",
        List.of(Ratio.of("local.memory", memory.bytesPerKey(KeyedContender.PENSTOCK))),
        List.of(memory.plot()));
  }
}
