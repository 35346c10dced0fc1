package io.penstock.redis;

/**
 * What a request was charged by one token bucket. Immutable.
 *
 * @param micros the time of the charge, by the server's clock
 * @param ticks the debt after the charge, in whole ticks
 * @param rest the rest of that debt, in units
 */
record Charge(BucketRequest part, long micros, long ticks, long rest) {}
