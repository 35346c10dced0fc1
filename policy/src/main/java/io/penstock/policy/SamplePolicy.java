package io.penstock.policy;

/** A policy to begin with, with comments for those who change it. */
public final class SamplePolicy {
  /** What to call it in problems. */
  public static final String NAME = "sample.yaml";

  private SamplePolicy() {}

  /** The policy as YAML. */
  public static String text() {
    return Resource.text(NAME);
  }
}
