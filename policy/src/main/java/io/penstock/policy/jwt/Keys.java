package io.penstock.policy.jwt;

import org.jspecify.annotations.Nullable;

/** The keys of an issuer as time goes by. For many threads; never blocks. */
interface Keys {
  /** The set in force. */
  KeySet current();

  /** Says that a token named a key that isn't in the set, which may be an old one. */
  void miss();

  /** Why the set could not be brought last time; null if it could. */
  @Nullable String lastFailure();

  /** Keys that stay as they are. */
  static Keys fixed(KeySet set) {
    return new Keys() {
      @Override
      public KeySet current() {
        return set;
      }

      @Override
      public void miss() {}

      @Override
      public @Nullable String lastFailure() {
        return null;
      }
    };
  }
}
