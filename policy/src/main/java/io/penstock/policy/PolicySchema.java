package io.penstock.policy;

/**
 * The JSON Schema (draft 2020-12) of policies, for editors. It accepts every policy that can be
 * loaded, and rejects those that are wrong in their shape; what else makes a policy unusable only
 * the loader says.
 */
public final class PolicySchema {
  private PolicySchema() {}

  /** The schema as JSON. */
  public static String text() {
    return Resource.text("policy.schema.json");
  }
}
