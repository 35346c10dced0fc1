package io.penstock.bench.contest;

/** The results of one fork. */
public record Sample(double opsPerSecond, double bytesPerOp, long allowed, long denied) {}
