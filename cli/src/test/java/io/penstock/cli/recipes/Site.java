package io.penstock.cli.recipes;

import java.nio.file.Path;

/**
 * Where a proxy of a test stands.
 *
 * @param folder for its files
 * @param port what clients connect to
 * @param penstock what it asks
 * @param originPort what it protects
 * @param patient whether it waits for Penstock longer than the page says: a test that is not about
 *     time must not fail because the machine is busy
 */
record Site(Path folder, int port, PenstockProcess penstock, int originPort, boolean patient) {
  private static final String PATIENCE = "8s";

  /** What any recipe has to change. */
  Changes changes() {
    Changes changes =
        new Changes().with("127.0.0.1:8080", penstock.port()).with("127.0.0.1:3000", originPort);
    return patient ? changes.with("250ms", PATIENCE).with("100ms", PATIENCE) : changes;
  }
}
