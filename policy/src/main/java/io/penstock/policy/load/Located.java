package io.penstock.policy.load;

/**
 * A value with its location. Immutable.
 *
 * @param path the field, such as {@code rules[3]}; empty for the whole document
 */
public record Located<T>(T value, Location at, String path) {}
