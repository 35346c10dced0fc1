package io.penstock.server.database;

import io.penstock.server.RunningServer;

/** Figures of a service, as Prometheus sees them. */
record Figures(String text) {
  static Figures of(RunningServer server) {
    return new Figures(server.admin("/metrics").body());
  }

  /** What became of violations: seen, written or dropped. */
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
