package io.penstock.policy.jwt;

import org.jspecify.annotations.Nullable;

/** The keys of an issuer as time goes by. For many threads; never blocks. */
interface IssuerKeys {
  /** The set in force. */
  KeySet current();

  /** Says that a token named a key that isn't in the set, which may be an old one. */
  void miss();

  /** Why the set could not be fetched last time; null if it could. */
  @Nullable String lastFailure();

  /** When the set was last found to be current, in milliseconds since 1970; now, if it is fixed. */
  long fetchedAtMillis(long nowMillis);

  /** Keys that stay as they are. */
  static IssuerKeys fixed(KeySet set) {
    return new IssuerKeys() {
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

      @Override
      public long fetchedAtMillis(long nowMillis) {
        return nowMillis;
      }
    };
  }
}
