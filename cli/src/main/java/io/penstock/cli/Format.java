package io.penstock.cli;

/** For whom something is printed: people or programs. */
enum Format {
  TEXT,
  JSON;

  static final String HELP = "For people or for programs: text or json. Default: text";
}
