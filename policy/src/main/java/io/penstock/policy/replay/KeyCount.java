package io.penstock.policy.replay;

/** The requests of a key. Immutable. */
public record KeyCount(String key, long requests, long denied) {}
