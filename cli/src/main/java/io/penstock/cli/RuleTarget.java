package io.penstock.cli;

import io.penstock.policy.load.Node;
import io.penstock.server.database.RuleDraft;
import java.util.List;

/** Where rules live: in a database, or behind a running server. */
interface RuleTarget extends AutoCloseable {
  /** All active rules, as policy files write them, in their order. */
  List<Node> rules();

  /**
   * Puts rules there, all or none of them.
   *
   * @param alone whether others go
   * @param dryRun whether it is only to be said what would change
   * @return what has changed, or would, a line each
   */
  List<String> put(List<RuleDraft> drafts, boolean alone, boolean dryRun);

  @Override
  void close();

  /** It can't be asked, or refuses. */
  final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    FailedException(String message) {
      super(message);
    }
  }
}
