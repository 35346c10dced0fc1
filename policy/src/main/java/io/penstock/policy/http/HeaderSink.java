package io.penstock.policy.http;

/** Where header fields go, in the order in which they are to be sent. */
@FunctionalInterface
public interface HeaderSink {
  /** Adds a field; its value is printable ASCII. */
  void add(String name, String value);
}
