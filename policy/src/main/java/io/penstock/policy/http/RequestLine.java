package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/** Where a request goes. Asked only for what rules name. Used by one thread at a time. */
public interface RequestLine {
  /** The method, as sent. */
  @Nullable String method();

  /** The path, and the query after a question mark, still encoded. */
  @Nullable String target();

  /** The host asked for, with or without a port. */
  @Nullable String host();

  /** A line of which everything is known already. */
  static RequestLine of(@Nullable String method, @Nullable String target, @Nullable String host) {
    return new FixedRequestLine(method, target, host);
  }
}
