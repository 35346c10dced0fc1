package io.penstock.policy.http;

import org.jspecify.annotations.Nullable;

/**
 * Where a request goes. Immutable.
 *
 * @param method as sent
 * @param target the path, and the query after a question mark, still encoded
 * @param host the host asked for, with or without a port
 */
public record RequestLine(
    @Nullable String method, @Nullable String target, @Nullable String host) {}
