package io.penstock.bench.redis;

/** The bytes that threads allocated, and the CPU time that they used. */
record Usage(long bytes, long cpuNanos) {
  static final Usage NONE = new Usage(0, 0);

  Usage plus(Usage other) {
    return new Usage(bytes + other.bytes, cpuNanos + other.cpuNanos);
  }

  Usage minus(Usage earlier) {
    return new Usage(bytes - earlier.bytes, cpuNanos - earlier.cpuNanos);
  }
}
