package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Transfers rules between policy files and the database. */
public final class RuleFile {
  private static final int ORDER_STEP = 10;
  private static final String RULES = "rules";

  private RuleFile() {}

  /**
   * Returns the rules of a policy file, in their order. Other parts of the policy are ignored.
   *
   * @throws PolicyException if the policy is invalid
   */
  public static List<RuleDraft> read(Path file) {
    PolicyLoader.load(file);
    Problems problems = new Problems();
    Node root = Document.read(file, problems);
    problems.throwIfErrors();
    List<RuleDraft> drafts = new ArrayList<>();
    if (root instanceof Node.Mapping policy) {
      Node.NodeField rules = policy.entries().get(RULES);
      if (rules == null) {
        drafts.add(draft(root, "", 1));
      } else if (rules.value() instanceof Node.Sequence list) {
        for (Node rule : list.items()) {
          int number = drafts.size();
          drafts.add(draft(rule, RULES + "[" + number + "]", number + 1));
        }
      }
    }
    return drafts;
  }

  private static RuleDraft draft(Node rule, String path, int number) {
    return new RuleDraft(new Located<>(rule, rule.at(), path), ORDER_STEP * number, true);
  }

  /** Writes rules as a list field. */
  public static void write(List<Node> rules, JsonGenerator json) throws IOException {
    json.writeArrayFieldStart(RULES);
    for (Node rule : rules) {
      JsonColumns.write(RuleTexts.of(rule), json);
    }
    json.writeEndArray();
  }

  /** Formats rules as a policy file. */
  public static String text(List<Node> rules) {
    return RuleYaml.policy(rules.stream().map(RuleTexts::of).toList());
  }
}
