package io.penstock.server.envoy;

/** A limit that a request states for a descriptor, instead of the configured one. */
record LimitOverride(LimitUnit unit, long requestsPerUnit) {}
