package io.penstock.policy.jwt;

import org.jspecify.annotations.Nullable;

/** The keys of an issuer, which may change over time. Thread-safe and non-blocking. */
interface IssuerKeys {
  /** Returns the active key set. */
  KeySet current();

  /** Reports that a token refers to a key that is not in the set, which may be outdated. */
  void miss();

  /** Returns why the last fetch failed; null if it succeeded. */
  @Nullable String lastFailure();

  /**
   * Returns when the set was last known to be current, in milliseconds since 1970; now, if it is
   * fixed.
   */
  long fetchedAtMillis(long nowMillis);

  /** Returns keys that never change. */
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
