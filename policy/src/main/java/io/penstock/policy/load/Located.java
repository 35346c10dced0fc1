package io.penstock.policy.load;

/**
 * Something and where it was read. Immutable.
 *
 * @param path its field, such as {@code rules[3]}; empty for the whole
 */
public record Located<T>(T value, Location at, String path) {}
