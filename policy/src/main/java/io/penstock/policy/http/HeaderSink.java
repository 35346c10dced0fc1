package io.penstock.policy.http;

/** Receives header fields in the order in which they are to be sent. */
@FunctionalInterface
public interface HeaderSink {
  /** Adds a field. Its value is printable ASCII. */
  void add(String name, String value);
}
