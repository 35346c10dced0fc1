package io.penstock.server.figures;

/**
 * A key that a rule denied.
 *
 * @param key the bucket within the rule's group, with private values hashed
 */
record DeniedKey(String rule, String key) {
  /** Strings keep their hash, so this is cheaper than the generated method. */
  @Override
  public int hashCode() {
    return 31 * key.hashCode() + rule.hashCode();
  }
}
