package io.penstock.cli;

import io.penstock.policy.load.Node;
import io.penstock.server.database.ConflictException;
import io.penstock.server.database.Database;
import io.penstock.server.database.DatabaseAddress;
import io.penstock.server.database.DatabaseUnavailableException;
import io.penstock.server.database.RuleChange;
import io.penstock.server.database.RuleDraft;
import io.penstock.server.database.RuleRejectedException;
import io.penstock.server.database.RuleRepository;
import io.penstock.server.database.StoredRule;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Rules in a database that is spoken to directly. */
final class DatabaseTarget implements RuleTarget {
  private final Database database;
  private final RuleRepository book;
  private final String user;

  DatabaseTarget(String url, Map<String, String> variables) {
    this.database = new Database(DatabaseAddress.parse(url, variables));
    // The servers that will read the rules have settings that are not known here.
    this.book = new RuleRepository(database, () -> RuleRepository.FileRules.NONE, true);
    this.user = System.getProperty("user.name", "penstock");
  }

  @Override
  public List<Node> rules() {
    return asked(
        false,
        () ->
            book.all().stream()
                .filter(StoredRule::isActive)
                .<Node>map(StoredRule::document)
                .toList());
  }

  @Override
  public List<String> put(List<RuleDraft> drafts, boolean alone, boolean dryRun) {
    return asked(
        !dryRun,
        () ->
            book.apply(drafts, alone, new RuleRepository.ChangeOptions(user, dryRun)).stream()
                .map(DatabaseTarget::line)
                .toList());
  }

  /**
   * @param changes whether there may be something new in the database afterwards
   */
  private <T> T asked(boolean changes, Supplier<T> question) {
    try {
      if (changes) {
        book.prepare();
      } else if (!book.isPrepared()) {
        throw new FailedException(
            "the database has no table rate_limit_rule; penstock rules import or apply makes it");
      }
      return question.get();
    } catch (RuleRejectedException | ConflictException e) {
      throw new FailedException(String.valueOf(e.getMessage()));
    } catch (DatabaseUnavailableException e) {
      throw new FailedException("the database can't be asked: " + e.getMessage());
    }
  }

  private static String line(RuleChange change) {
    return line(change.action(), change.name(), List.copyOf(change.fields()));
  }

  /** What has become of a rule, for people. */
  static String line(String action, String name, List<String> fields) {
    return action + " " + name + (fields.isEmpty() ? "" : ": " + String.join(", ", fields));
  }

  @Override
  public void close() {
    database.close();
  }
}
