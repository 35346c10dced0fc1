package io.penstock.policy.load;

import io.penstock.policy.Rule;
import org.jspecify.annotations.Nullable;

/** Reads rules that stand in no file, such as rows of a table, just as those that do. */
public final class SingleRuleReader {
  private SingleRuleReader() {}

  /** The rule in a document; null, and errors, if it can't be used. */
  public static @Nullable Located<Rule> read(Located<Node> document, Problems problems) {
    return new RuleReader("", problems).read(document);
  }
}
