package io.penstock.server.metrics;

/** Percentiles of the decision time in microseconds. */
public record LatencyPercentiles(double p50Micros, double p99Micros) {}
