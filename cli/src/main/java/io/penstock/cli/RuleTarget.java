package io.penstock.cli;

import io.penstock.policy.load.Node;
import io.penstock.server.database.RuleDraft;
import java.util.List;

/** Where {@code penstock rules} reads and writes rules: a database or a running server. */
interface RuleTarget extends AutoCloseable {
  /** Returns all active rules in the form of policy files, in order. */
  List<Node> rules();

  /**
   * Creates or updates the rules, all or none of them.
   *
   * @param alone whether all other active rules are deleted
   * @param dryRun whether to report the changes without making them
   * @return a text for each change
   */
  List<String> put(List<RuleDraft> drafts, boolean alone, boolean dryRun);

  @Override
  void close();

  /** Thrown if the target is unreachable or rejects the operation. */
  final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    FailedException(String message) {
      super(message);
    }
  }
}
