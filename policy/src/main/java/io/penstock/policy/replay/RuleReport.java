package io.penstock.policy.replay;

import io.penstock.policy.Mode;
import io.penstock.policy.Rule;
import java.util.List;

/**
 * The result of a replay for one rule. Immutable.
 *
 * @param mode whether the rule was enforced
 * @param requests the requests that the rule was evaluated for
 * @param denied those of them that it denied, or would have denied in shadow mode
 * @param skipped requests that it didn't apply to because the log lacks a part of its key
 * @param keys the number of different keys
 * @param deniedKeys the number of keys with denied requests
 * @param worst the keys with the most denied requests, in descending order
 * @param timeline requests and denials over time
 */
public record RuleReport(
    Rule rule,
    Mode mode,
    long requests,
    long denied,
    long skipped,
    long keys,
    long deniedKeys,
    List<KeyCount> worst,
    List<Timeline.Interval> timeline) {}
