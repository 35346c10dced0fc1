package io.penstock.bench.report;

import java.util.List;

/**
 * What a part of a run has to say.
 *
 * @param notes about the tables, may be empty
 */
public record Findings(List<Table> tables, String notes, List<Ratio> ratios, List<Plot> plots) {
  public Findings {
    tables = List.copyOf(tables);
    ratios = List.copyOf(ratios);
    plots = List.copyOf(plots);
  }

  /** Without pictures. */
  public Findings(List<Table> tables, String notes, List<Ratio> ratios) {
    this(tables, notes, ratios, List.of());
  }
}
