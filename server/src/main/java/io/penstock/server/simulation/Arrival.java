package io.penstock.server.simulation;

/**
 * Requests that arrive at the same time.
 *
 * @param atNanos the time since the start
 * @param cost the cost of each request in tokens
 */
public record Arrival(long atNanos, int requests, double cost) {}
