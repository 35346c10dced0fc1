package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/** A request line of which everything is known already. Immutable. */
record FixedRequestLine(@Nullable String method, @Nullable String target, @Nullable String host)
    implements RequestLine {}
