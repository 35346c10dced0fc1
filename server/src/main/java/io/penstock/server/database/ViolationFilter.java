package io.penstock.server.database;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which violations somebody wants to see; null stands for any. Immutable.
 *
 * @param address an address or a network
 * @param from not before
 * @param to before
 */
public record ViolationFilter(
    @Nullable String user,
    @Nullable String address,
    @Nullable String rule,
    @Nullable String endpoint,
    @Nullable Instant from,
    @Nullable Instant to) {}
