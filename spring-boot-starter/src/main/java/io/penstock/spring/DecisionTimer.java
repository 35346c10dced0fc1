package io.penstock.spring;

/** Is told how long decisions take, the store included. Thread-safe. */
@FunctionalInterface
public interface DecisionTimer {
  void took(long nanos);
}
