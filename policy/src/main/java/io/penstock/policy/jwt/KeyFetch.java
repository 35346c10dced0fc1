package io.penstock.policy.jwt;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Fetches a key set from its source. Used by one thread at a time. */
@FunctionalInterface
interface KeyFetch {
  /** The maximum size of a key set. */
  int MAX_BYTES = 1 << 20;

  /** Returns the key set; null if it has not changed. */
  @Nullable KeySet fetch() throws IOException;
}
