package io.penstock.policy.load;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule that is in no file: as it is now, and as it was when it could last be used. Immutable.
 *
 * @param now null if it can't be read
 * @param before null if it never could be used
 * @param problems why it can't be read
 */
public record RuleCandidate(
    @Nullable OrderedRule now, @Nullable OrderedRule before, List<Problem> problems) {
  public RuleCandidate {
    problems = List.copyOf(problems);
  }
}
