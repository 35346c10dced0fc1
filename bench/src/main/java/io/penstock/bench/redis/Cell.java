package io.penstock.bench.redis;

/** The conditions under which contenders are compared. Each has its own table. */
record Cell(Workload workload, int callers) {
  String callersLabel() {
    return callers == 1 ? "1 caller" : callers + " callers";
  }

  @Override
  public String toString() {
    return workload.label + ", " + callersLabel();
  }
}
