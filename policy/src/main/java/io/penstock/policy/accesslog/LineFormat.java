package io.penstock.policy.accesslog;

/** A format of log lines. Instances may keep state, such as column names, and read one log. */
interface LineFormat {
  /** What a format found in a line. */
  enum LineKind {
    /** The fields of a request. */
    REQUEST,
    /** Column names, a comment or nothing. */
    HEADER,
    /** Something else, or a part of a line. */
    OTHER
  }

  /** Finds the fields of a line. */
  LineKind read(byte[] line, int from, int to, LineFields into);
}
