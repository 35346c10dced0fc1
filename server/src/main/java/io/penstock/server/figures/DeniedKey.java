package io.penstock.server.figures;

/**
 * A key that a rule denied.
 *
 * @param key the bucket within the rule's group, with private values hashed
 */
record DeniedKey(String rule, String key) {}
