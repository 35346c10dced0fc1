package io.penstock.policy.replay;

import io.penstock.policy.Attribute;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.accesslog.LogEntry;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Finds the attributes of a policy that no request of a log has. The rules that refer to them do
 * something else in a replay than in production. Not thread-safe.
 */
public final class UnsuppliedAttributes {
  private final Policy policy;
  private final List<Attribute> unseen;

  /**
   * An attribute that no request has. Immutable.
   *
   * @param rules the names of the rules that refer to it; empty if only exemptions do
   */
  public record UnsuppliedAttribute(Attribute attribute, List<String> rules) {}

  UnsuppliedAttributes(Policy policy) {
    this.policy = policy;
    this.unseen = new ArrayList<>(Replay.attributes(policy));
  }

  void add(LogEntry entry) {
    if (!unseen.isEmpty()) {
      for (Iterator<Attribute> each = unseen.iterator(); each.hasNext(); ) {
        if (each.next().of(entry) != null) {
          each.remove();
        }
      }
    }
  }

  List<UnsuppliedAttribute> list() {
    return unseen.stream()
        .map(
            attribute ->
                new UnsuppliedAttribute(
                    attribute,
                    policy.rules().stream()
                        .filter(rule -> Replay.attributes(rule).contains(attribute))
                        .map(Rule::name)
                        .toList()))
        .toList();
  }
}
