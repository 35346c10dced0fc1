package io.penstock;

/** How a limiter uses a shared store. With the in-process store, all of these are exact. */
public enum Consistency {
  /** The store makes every decision; a node may repeat a denial without asking again. */
  EXACT,
  /**
   * A node leases tokens in advance and decides from them; the nodes together never exceed the
   * limit.
   */
  LEASED,
  /** Exact until a key is so hot that its calls queue up, then leased until the key cools down. */
  AUTO
}
