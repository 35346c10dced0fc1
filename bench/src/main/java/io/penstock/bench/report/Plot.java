package io.penstock.bench.report;

/** A chart of figures that are also in a table. */
public interface Plot {
  /** Returns the file name without extension. */
  String name();

  String title();

  /** Returns the chart as SVG. */
  String svg();
}
