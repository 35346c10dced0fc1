package io.penstock;

/** How a shared store is asked. In one process all of these are exact. */
public enum Consistency {
  /** Every decision is the store's. */
  EXACT,
  /** A node takes tokens in advance and decides from them; never more than the limit in total. */
  LEASED,
  /** Exact until a key is so hot that calls queue up, then leased until it cools. */
  AUTO
}
