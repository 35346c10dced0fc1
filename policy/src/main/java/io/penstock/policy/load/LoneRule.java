package io.penstock.policy.load;

import io.penstock.policy.Rule;
import org.jspecify.annotations.Nullable;

/** Reads rules that stand in no file, such as rows of a table, just as those that do. */
public final class LoneRule {
  private LoneRule() {}

  /** The rule in a document; null, and errors, if it can't be used. */
  public static @Nullable Placed<Rule> read(Placed<Node> document, Problems problems) {
    return new RuleReader("", problems).read(document);
  }
}
