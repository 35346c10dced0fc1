package io.penstock.policy.load;

import io.penstock.policy.Rule;
import org.jspecify.annotations.Nullable;

/**
 * Reads rules that are not in a file, such as rows of a table, in the same way as those in files.
 */
public final class SingleRuleReader {
  private SingleRuleReader() {}

  /** Returns the rule in a document. Reports errors and returns null if it can't be used. */
  public static @Nullable Located<Rule> read(Located<Node> document, Problems problems) {
    return new RuleReader("", problems).read(document);
  }
}
