package io.penstock.policy.load;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule from the database: its current version and the last usable one. Immutable.
 *
 * @param now the current version; null if it can't be read
 * @param before the last usable version; null if there is none
 * @param problems why the current version can't be read
 * @param warnings warnings for the author of the current version
 */
public record RuleCandidate(
    @Nullable OrderedRule now,
    @Nullable OrderedRule before,
    List<Problem> problems,
    List<Problem> warnings) {
  public RuleCandidate {
    problems = List.copyOf(problems);
    warnings = List.copyOf(warnings);
  }

  /** Creates a candidate without warnings. */
  public RuleCandidate(
      @Nullable OrderedRule now, @Nullable OrderedRule before, List<Problem> problems) {
    this(now, before, problems, List.of());
  }
}
