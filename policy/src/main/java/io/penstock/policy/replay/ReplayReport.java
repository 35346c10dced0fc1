package io.penstock.policy.replay;

import io.penstock.policy.accesslog.ReadSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a replay. Immutable.
 *
 * @param span the requests of the log
 * @param read how much of the log could be read
 * @param policies one report for each policy
 * @param change how the second policy differs from the first; null if there is only one
 */
public record ReplayReport(
    LogSpan span,
    ReadSummary read,
    List<PolicyReport> policies,
    ChangeTally.@Nullable PolicyChange change) {}
