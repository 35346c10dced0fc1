package io.penstock.redis;

/**
 * What a request was charged to one token bucket. Immutable.
 *
 * @param micros when, by the server's clock
 * @param ticks the debt right after it, in whole ticks
 * @param rest and in units beyond them
 */
record Charge(BucketRequest part, long micros, long ticks, long rest) {}
