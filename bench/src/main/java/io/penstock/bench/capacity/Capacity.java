package io.penstock.bench.capacity;

import io.penstock.bench.report.ReportTable;
import java.util.List;
import java.util.Locale;

/** Prints the plans for sample loads as a table. */
public final class Capacity {
  /** A load and its description. */
  private record Load(String description, Demand demand) {}

  private static final List<Load> LOADS =
      List.of(
          new Load("400,000/s, 1M keys", new Demand(400_000, 1e6, 0, 0)),
          new Load("400,000/s, half of it on leased keys", new Demand(400_000, 1e6, 50, 0)),
          new Load("400,000/s, a fifth repeated denials", new Demand(400_000, 1e6, 0, 20)),
          new Load("10M/s, 10M keys", new Demand(10e6, 10e6, 0, 0)),
          new Load("10M/s, half of it on leased keys", new Demand(10e6, 10e6, 50, 0)),
          new Load("10M/s, nine tenths on leased keys", new Demand(10e6, 10e6, 90, 0)));

  private Capacity() {}

  /** Returns the table of docs/capacity.md. */
  public static ReportTable table() {
    ReportTable table =
        new ReportTable(
            "required capacity",
            "load",
            "busy Redis cores",
            "shards",
            "GB of keys",
            "GB per shard",
            "node cores, library",
            "node cores, service");
    CapacityFigures figures = CapacityFigures.measured();
    for (Load load : LOADS) {
      Plan plan = Plan.of(load.demand, figures);
      table.add(
          load.description,
          format("%.1f", plan.redisCores()),
          "" + plan.shards(),
          format("%.1f", plan.gigabytes()),
          format("%.2f", plan.gigabytes() / plan.shards()),
          format("%.1f", plan.libraryCores()),
          format("%.1f", plan.serviceCores()));
    }
    return table;
  }

  private static String format(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }
}
