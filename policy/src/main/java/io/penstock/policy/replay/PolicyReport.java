package io.penstock.policy.replay;

import java.util.List;

/**
 * The result of a replay under one policy. Immutable.
 *
 * @param name the name of the policy
 * @param denied requests that were denied
 * @param delayed requests that were allowed after a delay
 * @param rejected requests that were denied because of their path
 * @param unlimited requests that no rule applied to
 * @param unsupplied attributes of the policy that no request has
 * @param rules the rules that are not off, in policy order
 */
public record PolicyReport(
    String name,
    long denied,
    long delayed,
    long rejected,
    long unlimited,
    List<UnsuppliedAttributes.UnsuppliedAttribute> unsupplied,
    List<RuleReport> rules,
    List<Timeline.Interval> timeline) {}
