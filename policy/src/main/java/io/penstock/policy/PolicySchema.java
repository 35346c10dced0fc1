package io.penstock.policy;

/**
 * The JSON Schema (draft 2020-12) of policies, for editors. It accepts every policy that can be
 * loaded and rejects policies with structural errors. Only the loader reports all other errors.
 */
public final class PolicySchema {
  private PolicySchema() {}

  /** Returns the schema as JSON. */
  public static String text() {
    return Resource.text("policy.schema.json");
  }
}
