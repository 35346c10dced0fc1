package io.penstock.policy.advice;

import io.penstock.policy.replay.KeyCount;
import java.util.List;

/**
 * A limit, and what it would have denied. Immutable.
 *
 * @param name tight, balanced or generous
 * @param denied requests of the log that it would have denied
 * @param deniedKeys the number of keys of these requests
 * @param worst the keys with the most denied requests
 */
public record Suggestion(
    String name,
    CandidateRate rate,
    long burst,
    long denied,
    long deniedKeys,
    List<KeyCount> worst) {}
