package io.penstock.policy.jwt;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Brings a key set from where it is kept. Used by one thread at a time. */
@FunctionalInterface
interface KeyFetch {
  /** How much of a key set is read at most. */
  int MAX_BYTES = 1 << 20;

  /** The key set; null if it is the same as last time. */
  @Nullable KeySet fetch() throws IOException;
}
