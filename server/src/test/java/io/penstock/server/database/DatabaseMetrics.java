package io.penstock.server.database;

import io.penstock.server.RunningServer;

/** The metrics of a server, in the Prometheus text format. */
record DatabaseMetrics(String text) {
  static DatabaseMetrics of(RunningServer server) {
    return new DatabaseMetrics(server.admin("/metrics").body());
  }

  /** Returns the number of denied requests with an outcome: seen, written or dropped. */
  long violations(String outcome) {
    return (long) get("penstock_violations_total{outcome=\"" + outcome + "\"}");
  }

  double get(String name) {
    return text.lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }
}
