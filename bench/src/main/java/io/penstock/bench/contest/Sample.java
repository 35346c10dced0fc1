package io.penstock.bench.contest;

/** What one fork measured. */
public record Sample(double opsPerSecond, double bytesPerOp, long allowed, long denied) {}
