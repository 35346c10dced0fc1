package io.penstock.bench.capacity;

/**
 * The servers that a load requires. Immutable.
 *
 * @param redisCores fully busy cores of Redis
 * @param shards Redis servers, each of which executes commands on one core
 * @param gigabytes total memory of all shards, without replicas
 * @param libraryCores cores of nodes that use the library
 * @param serviceCores cores of nodes that run the HTTP service
 */
record Plan(
    double redisCores, long shards, double gigabytes, double libraryCores, double serviceCores) {
  private static final double MICROS = 1e6;
  private static final double PERCENT = 100;
  private static final double GIGABYTE = 1e9;

  static Plan of(Demand demand, CapacityFigures figures) {
    double redis =
        (demand.exact() * figures.exactMicros() + demand.leased() * figures.leasedMicros())
            / MICROS;
    double local = demand.decisions() - demand.exact();
    double library =
        (demand.exact() * figures.clientMicros() + local * figures.localMicros()) / MICROS;
    double http = demand.decisions() * figures.httpMicros() / MICROS;
    double share = figures.busyPercent() / PERCENT;
    return new Plan(
        redis,
        Math.max(1, (long) Math.ceil(redis / share)),
        demand.keys() * figures.keyBytes() / GIGABYTE,
        library / share,
        (library + http) / share);
  }
}
