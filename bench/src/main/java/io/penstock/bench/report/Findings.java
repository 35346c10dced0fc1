package io.penstock.bench.report;

import java.util.List;

/**
 * What a part of a run has to say.
 *
 * @param notes about the tables, may be empty
 */
public record Findings(List<Table> tables, String notes, List<Ratio> ratios) {
  public Findings {
    tables = List.copyOf(tables);
    ratios = List.copyOf(ratios);
  }
}
