package io.penstock.redis;

/**
 * What a token bucket charged for a granted claim, so that the charge can be given back. Immutable.
 *
 * @param micros the time of the charge, by the server's clock
 * @param ticks the debt after the charge, in whole ticks
 * @param rest the rest of that debt, in units
 */
record Receipt(RedisClaim claim, long micros, long ticks, long rest) {}
