package io.penstock.server.database;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects violations; null matches any value. Immutable.
 *
 * @param address an address or a network
 * @param from the start, inclusive
 * @param to the end, exclusive
 */
public record ViolationFilter(
    @Nullable String user,
    @Nullable String address,
    @Nullable String rule,
    @Nullable String endpoint,
    @Nullable Instant from,
    @Nullable Instant to) {}
