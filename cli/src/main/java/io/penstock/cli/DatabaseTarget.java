package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.policy.http.Json;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
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
import java.util.Objects;
import java.util.function.Supplier;

/** The rules of a database, accessed over a direct connection. */
final class DatabaseTarget implements RuleTarget {
  private final Database database;
  private final RuleRepository repository;
  private final String user;

  DatabaseTarget(String url, Map<String, String> variables) {
    this.database = new Database(DatabaseAddress.parse(url, variables));
    // The settings of the servers that will read the rules are not known here.
    this.repository = new RuleRepository(database, () -> RuleRepository.FileRules.NONE);
    this.user = System.getProperty("user.name", "penstock");
  }

  @Override
  public List<Node> rules() {
    return run(
        false,
        () ->
            repository.all().stream()
                .filter(StoredRule::isActive)
                .<Node>map(StoredRule::document)
                .toList());
  }

  @Override
  public List<String> put(List<RuleDraft> drafts, boolean alone, boolean dryRun) {
    return run(
        !dryRun,
        () ->
            repository.apply(drafts, alone, new RuleRepository.ChangeOptions(user, dryRun)).stream()
                .map(DatabaseTarget::text)
                .toList());
  }

  /**
   * @param writes whether the operation may change the database; if so, missing tables are created
   */
  private <T> T run(boolean writes, Supplier<T> operation) {
    try {
      if (writes) {
        repository.prepare();
      } else if (!repository.isPrepared()) {
        throw new FailedException(
            "the database has no table rate_limit_rule;"
                + " run penstock rules import or apply to create it");
      }
      return operation.get();
    } catch (RuleRejectedException | ConflictException e) {
      throw new FailedException(String.valueOf(e.getMessage()));
    } catch (DatabaseUnavailableException e) {
      throw new FailedException("cannot access the database: " + e.getMessage());
    }
  }

  private static String text(RuleChange change) {
    String json = new String(Json.bytes(change::write), UTF_8);
    return RuleChangeText.of(
        Objects.requireNonNull(Document.parse(json, "change.json", new Problems())));
  }

  @Override
  public void close() {
    database.close();
  }
}
