package io.penstock.spring;

/** Receives the duration of each decision, including the store. Thread-safe. */
@FunctionalInterface
public interface DecisionTimer {
  void took(long nanos);
}
