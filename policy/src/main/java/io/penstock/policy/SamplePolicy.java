package io.penstock.policy;

/** A commented policy to start from. */
public final class SamplePolicy {
  /** The name of the policy in error messages. */
  public static final String NAME = "sample.yaml";

  private SamplePolicy() {}

  /** Returns the policy as YAML. */
  public static String text() {
    return Resource.text(NAME);
  }
}
