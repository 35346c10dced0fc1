package io.penstock.cli;

/** The output format. */
enum Format {
  TEXT,
  JSON;

  static final String HELP = "The output format: text or json. Default: text";
}
