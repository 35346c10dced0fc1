package io.penstock.bench.capacity;

/**
 * The servers that a load takes. Immutable.
 *
 * @param redisCores that are busy all the time
 * @param shards of Redis, which uses one core each for commands
 * @param gigabytes of all shards together, without replicas
 * @param libraryCores of nodes that decide in their own process
 * @param serviceCores of nodes that are asked over HTTP
 */
record Plan(
    double redisCores, long shards, double gigabytes, double libraryCores, double serviceCores) {
  private static final double MICROS = 1e6;
  private static final double PERCENT = 100;
  private static final double GIGABYTE = 1e9;

  static Plan of(Demand demand, Figures figures) {
    double redis =
        (demand.exact() * figures.exactMicros() + demand.leased() * figures.leasedMicros())
            / MICROS;
    double local = demand.decisions() - demand.exact();
    double library =
        (demand.exact() * figures.clientMicros() + local * figures.localMicros()) / MICROS;
    double door = demand.decisions() * figures.doorMicros() / MICROS;
    double share = figures.busyPercent() / PERCENT;
    return new Plan(
        redis,
        Math.max(1, (long) Math.ceil(redis / share)),
        demand.keys() * figures.keyBytes() / GIGABYTE,
        library / share,
        (library + door) / share);
  }
}
