package io.penstock.bench.report;

import java.util.List;

/**
 * The results of a part of a run.
 *
 * @param notes about the tables; may be empty
 */
public record Findings(
    List<ReportTable> tables, String notes, List<Ratio> ratios, List<Plot> plots) {
  public Findings {
    tables = List.copyOf(tables);
    ratios = List.copyOf(ratios);
    plots = List.copyOf(plots);
  }

  /** Creates findings without charts. */
  public Findings(List<ReportTable> tables, String notes, List<Ratio> ratios) {
    this(tables, notes, ratios, List.of());
  }
}
