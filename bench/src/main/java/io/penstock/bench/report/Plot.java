package io.penstock.bench.report;

/** A picture of figures that a table has too. */
public interface Plot {
  /** What its file is called, without an ending. */
  String name();

  String title();

  /** The picture, as SVG. */
  String svg();
}
