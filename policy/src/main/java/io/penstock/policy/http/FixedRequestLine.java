package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/** A request line with known values. Immutable. */
record FixedRequestLine(@Nullable String method, @Nullable String target, @Nullable String host)
    implements RequestLine {}
