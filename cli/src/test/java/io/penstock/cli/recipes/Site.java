package io.penstock.cli.recipes;

import java.nio.file.Path;

/**
 * The environment of a proxy under test.
 *
 * @param folder for its files
 * @param port the port that clients connect to
 * @param penstock the process that decides
 * @param originPort the port of the origin
 * @param longTimeouts whether it waits for Penstock longer than documented: a test that is not
 *     about timing must not fail on a busy machine
 */
record Site(Path folder, int port, PenstockProcess penstock, int originPort, boolean longTimeouts) {
  private static final String LONG_TIMEOUT = "8s";

  /** Returns the replacements that every recipe needs. */
  Changes changes() {
    Changes changes =
        new Changes().with("127.0.0.1:8080", penstock.port()).with("127.0.0.1:3000", originPort);
    return longTimeouts ? changes.with("250ms", LONG_TIMEOUT).with("100ms", LONG_TIMEOUT) : changes;
  }
}
