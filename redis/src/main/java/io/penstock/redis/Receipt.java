package io.penstock.redis;

/**
 * The charge of a token bucket for a granted claim, so that it can be refunded. Immutable.
 *
 * @param micros the time of the charge, by the server's clock
 * @param ticks the debt after the charge, in whole ticks
 * @param rest the rest of that debt, in units
 */
record Receipt(RedisClaim claim, long micros, long ticks, long rest) {}
