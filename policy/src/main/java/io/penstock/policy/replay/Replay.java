package io.penstock.policy.replay;

import io.penstock.policy.Attribute;
import io.penstock.policy.Condition;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.Verdict;
import io.penstock.policy.accesslog.AccessLogException;
import io.penstock.policy.accesslog.LogEntry;
import io.penstock.policy.accesslog.LogStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides all requests of a log by the rules of a policy, at the times of the log. Buckets are full
 * at the first request. Use an instance once.
 *
 * <pre>{@code
 * LogFields fields = new LogFields(Replay.attributes(policy), Map.of());
 * LogStream log = new LogStream(List.of(LogSource.of(file)), LogOptions.of(fields));
 * ReplayReport report = new Replay("policy.yaml", policy).run(log);
 * }</pre>
 */
public final class Replay {
  private final PolicyReplay first;
  private final @Nullable PolicyReplay second;

  /** Replays a log under one policy. */
  public Replay(String name, Policy policy) {
    this.first = new PolicyReplay(name, policy);
    this.second = null;
  }

  /** Replays a log under two policies and compares them. */
  public Replay(String name, Policy policy, String otherName, Policy other) {
    this.first = new PolicyReplay(name, policy);
    this.second = new PolicyReplay(otherName, other);
  }

  /**
   * Decides all requests.
   *
   * @throws AccessLogException if a log can't be opened or its format is not recognized
   */
  public ReplayReport run(LogStream log) {
    LogSpan span = new LogSpan();
    ChangeTally changes = new ChangeTally();
    try (first;
        PolicyReplay other = second) {
      log.forEach(
          entry -> {
            span.add(entry);
            for (int i = 0; i < entry.count(); i++) {
              decide(entry, other, changes);
            }
          });
      return new ReplayReport(
          span,
          log.summary(),
          other == null ? List.of(first.report()) : List.of(first.report(), other.report()),
          other == null ? null : changes.change());
    }
  }

  private void decide(LogEntry entry, @Nullable PolicyReplay other, ChangeTally changes) {
    Verdict verdict = first.decide(entry);
    if (other != null) {
      changes.add(verdict, other.decide(entry));
    }
  }

  /** Returns the attributes that a policy refers to, which have to be read from logs. */
  public static Set<Attribute> attributes(Policy policy) {
    Set<Attribute> attributes = new LinkedHashSet<>();
    policy.rules().forEach(rule -> attributes.addAll(attributes(rule)));
    policy.exempt().forEach(match -> add(match, attributes));
    return attributes;
  }

  static Set<Attribute> attributes(Rule rule) {
    Set<Attribute> attributes = new LinkedHashSet<>();
    rule.limitKeys().forEach(part -> add(part, attributes));
    add(rule.match(), attributes);
    Attribute cost = rule.cost().source();
    if (cost != null) {
      attributes.add(cost);
    }
    return attributes;
  }

  private static void add(Match match, Set<Attribute> attributes) {
    match.conditions().stream().map(Condition::subject).forEach(part -> add(part, attributes));
  }

  private static void add(KeyPart part, Set<Attribute> attributes) {
    attributes.addAll(part.alternatives());
  }
}
