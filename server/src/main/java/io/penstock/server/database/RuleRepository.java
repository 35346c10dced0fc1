package io.penstock.server.database;

import io.penstock.policy.Policy;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.MergedPolicy;
import io.penstock.policy.load.OrderedRule;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.RuleCandidate;
import io.penstock.policy.load.RuleReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes the rules in the database. Thread-safe; all methods block.
 *
 * <p>A change is rejected if it would invalidate a rule that is valid without it. Otherwise it is
 * applied completely, with its history, in one transaction.
 */
public final class RuleRepository {
  private final Database database;
  private final Supplier<FileRules> files;

  /**
   * The rules of files, which the rules of the database must be compatible with.
   *
   * @param origin the name of the files in error messages
   * @param check checks whether this process can enforce a rule
   */
  public record FileRules(Policy policy, String origin, MergedPolicy.RuleCheck check) {
    /** For processes that don't know the settings of the server, such as how it verifies tokens. */
    public static final FileRules NONE =
        new FileRules(Policy.of().withJwt(JwtSettings.CALLER), "", MergedPolicy.RuleCheck.NONE);
  }

  /**
   * Options of a change.
   *
   * @param by the author, for the history
   * @param dryRun whether to only report what would change
   */
  public record ChangeOptions(String by, boolean dryRun) {}

  /**
   * @param files the rules of files
   */
  public RuleRepository(Database database, Supplier<FileRules> files) {
    this.database = database;
    this.files = files;
  }

  /** Returns whether the tables exist. */
  public boolean isPrepared() {
    return database.transaction(RuleTable::exists);
  }

  /**
   * Creates the tables if they don't exist. Existing tables are not migrated: they may have been
   * created manually, and this user may lack the permission to change them.
   */
  public void prepare() {
    if (isPrepared()) {
      return;
    }
    try {
      Migrations.run(database);
    } catch (SQLException e) {
      throw DatabaseUnavailableException.of(e);
    }
  }

  /** Returns all rules, in their order. */
  public List<StoredRule> all() {
    return database.transaction(RuleTable::all);
  }

  /** Returns a page of rules by id, starting after {@code after}. */
  public List<StoredRule> page(long after, int limit) {
    return database.transaction(connection -> RuleTable.page(connection, after, limit));
  }

  public Optional<StoredRule> find(String name) {
    return database.transaction(connection -> RuleTable.byName(connection, name));
  }

  /**
   * Adds a rule.
   *
   * @throws RuleRejectedException if the rule is invalid
   * @throws ConflictException if a rule with the same name exists
   */
  public RuleChange create(RuleDraft draft, ChangeOptions options) {
    RuleContent content = read(List.of(draft)).get(0);
    return change(
            options,
            connection -> {
              if (RuleTable.lockedByName(connection, content.name()).isPresent()) {
                throw new ConflictException("a rule with this name exists: " + content.name());
              }
              return List.of(new ChangeStep(null, ordered(content, draft, null), draft));
            })
        .get(0);
  }

  /**
   * Replaces a rule.
   *
   * @param version the version that the client has read
   * @return empty if there is no rule with this name
   * @throws RuleRejectedException if the rule is invalid
   * @throws ConflictException if the rule has another version
   */
  public Optional<RuleChange> replace(
      String name, RuleDraft draft, long version, ChangeOptions options) {
    RuleContent content = read(List.of(draft)).get(0);
    return first(
        change(
            options,
            connection -> {
              StoredRule before = lockVersion(connection, name, version).orElse(null);
              return before == null
                  ? List.of()
                  : List.of(new ChangeStep(before, ordered(content, draft, before), draft));
            }));
  }

  /**
   * Deletes a rule.
   *
   * @param version the version that the client has read
   * @return empty if there is no rule with this name
   * @throws ConflictException if the rule has another version
   */
  public Optional<RuleChange> delete(String name, long version, ChangeOptions options) {
    return first(
        change(
            options,
            connection ->
                lockVersion(connection, name, version).stream()
                    .map(before -> new ChangeStep(before, null, null))
                    .toList()));
  }

  /**
   * Creates or replaces several rules in one transaction.
   *
   * @param alone whether to delete all other active rules
   * @return the changes, without rules that stay the same
   * @throws RuleRejectedException if any rule is invalid
   */
  public List<RuleChange> apply(List<RuleDraft> drafts, boolean alone, ChangeOptions options) {
    List<RuleContent> contents = read(drafts);
    return change(options, connection -> steps(connection, drafts, contents, alone)).stream()
        .filter(change -> !change.isNone())
        .toList();
  }

  private static List<ChangeStep> steps(
      Connection connection, List<RuleDraft> drafts, List<RuleContent> contents, boolean alone)
      throws SQLException {
    Map<String, StoredRule> rows = new LinkedHashMap<>();
    RuleTable.all(connection).forEach(row -> rows.put(row.name(), row));
    boolean keepsOrder = isInOrder(contents, rows);
    List<ChangeStep> steps = new ArrayList<>();
    for (int i = 0; i < drafts.size(); i++) {
      RuleContent content = contents.get(i);
      StoredRule before = rows.remove(content.name());
      RuleContent after =
          keepsOrder && before != null
              ? content.with(RuleColumn.TIER_ORDER, before.tierOrder())
              : ordered(content, drafts.get(i), before);
      steps.add(new ChangeStep(before, after, drafts.get(i)));
    }
    if (alone) {
      List<ChangeStep> deleted =
          rows.values().stream()
              .filter(StoredRule::isActive)
              .map(row -> new ChangeStep(row, null, null))
              .toList();
      steps.addAll(0, deleted);
    }
    return steps;
  }

  /** Returns whether the rules have the order of the drafts if each keeps its tier order. */
  private static boolean isInOrder(List<RuleContent> contents, Map<String, StoredRule> rows) {
    List<StoredRule> kept = new ArrayList<>();
    for (RuleContent content : contents) {
      StoredRule row = rows.get(content.name());
      if (row == null) {
        return false;
      }
      RuleContent after = content.with(RuleColumn.TIER_ORDER, row.tierOrder());
      kept.add(new StoredRule(row.id(), row.version(), row.updatedAt(), after));
    }
    return kept.stream().sorted(StoredRule.ORDER).toList().equals(kept);
  }

  private static Optional<StoredRule> lockVersion(Connection connection, String name, long version)
      throws SQLException {
    Optional<StoredRule> row = RuleTable.lockedByName(connection, name);
    if (row.isPresent() && row.get().version() != version) {
      throw new ConflictException(
          "the rule has changed: its version is " + row.get().version() + ", not " + version);
    }
    return row;
  }

  private static Optional<RuleChange> first(List<RuleChange> changes) {
    return changes.stream().findFirst();
  }

  /** The change of one row. */
  private record ChangeStep(
      @Nullable StoredRule before, @Nullable RuleContent after, @Nullable RuleDraft draft) {}

  private List<RuleContent> read(List<RuleDraft> drafts) {
    Problems problems = new Problems();
    List<RuleContent> contents = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (RuleDraft draft : drafts) {
      if (RuleReader.read(draft.rule(), problems) != null) {
        RuleContent content = RuleColumns.of(draft.rule(), draft.active(), problems);
        if (content != null) {
          contents.add(content);
          if (!names.add(content.name())) {
            problems.error(
                draft.rule().at(),
                draft.rule().path(),
                "must have a unique name: " + content.name());
          }
        }
      }
    }
    if (problems.errorCount() > 0) {
      throw new RuleRejectedException(problems.errors());
    }
    return contents;
  }

  private static RuleContent ordered(
      RuleContent content, RuleDraft draft, @Nullable StoredRule before) {
    Integer given = draft.tierOrder();
    int order = given != null ? given : before == null ? 0 : before.tierOrder();
    return content.with(RuleColumn.TIER_ORDER, order);
  }

  private List<RuleChange> change(
      ChangeOptions options, Database.SqlWork<List<ChangeStep>> planned) {
    return database.transaction(
        connection -> {
          lock(connection);
          RuleTable.setAuthor(connection, options.by());
          List<ChangeStep> steps = planned.in(connection);
          check(RuleTable.all(connection), steps);
          List<RuleChange> changes = new ArrayList<>();
          for (ChangeStep step : steps) {
            changes.add(make(connection, step));
          }
          if (options.dryRun()) {
            connection.rollback();
          }
          return changes;
        });
  }

  /** Serializes changes that are made through this class. */
  private static void lock(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT pg_advisory_xact_lock(hashtext('rate_limit_rule'))")) {
      statement.execute();
    }
  }

  private static RuleChange make(Connection connection, ChangeStep step) throws SQLException {
    StoredRule before = step.before;
    try {
      if (step.after == null) {
        if (before != null) {
          RuleTable.delete(connection, before.id());
        }
        return new RuleChange(before, null);
      }
      if (before == null) {
        return new RuleChange(null, RuleTable.insert(connection, step.after));
      }
      return before.isSameAs(step.after)
          ? new RuleChange(before, before)
          : new RuleChange(before, RuleTable.update(connection, before.id(), step.after));
    } catch (SQLException e) {
      throw DataErrors.rejected(e, step.draft);
    }
  }

  /** Checks that all rules that were valid before are still valid afterwards. */
  private void check(List<StoredRule> rows, List<ChangeStep> steps) {
    Map<Location, StoredRule> after = new LinkedHashMap<>();
    rows.forEach(row -> after.put(row.location(), row));
    Set<Problem> known = new HashSet<>(problems(after));
    Map<Location, RuleDraft> drafts = new HashMap<>();
    for (ChangeStep step : steps) {
      if (step.before != null) {
        after.remove(step.before.location());
      }
      if (step.after != null) {
        // A new row has no id yet. The database will assign one that is larger than all others.
        long id = step.before == null ? Long.MAX_VALUE : step.before.id();
        StoredRule row = new StoredRule(id, 0, Instant.EPOCH, step.after);
        Location at = step.before == null ? Location.ofNew("rule " + row.name()) : row.location();
        after.put(at, row);
        if (step.draft != null) {
          drafts.put(at, step.draft);
        }
      }
    }
    List<Problem> found = new ArrayList<>();
    for (Problem problem : problems(after)) {
      RuleDraft draft = drafts.get(problem.location());
      if (draft != null) {
        Located<?> rule = draft.rule();
        found.add(new Problem(problem.severity(), rule.at(), rule.path(), problem.message()));
      } else if (!known.contains(problem)) {
        found.add(problem);
      }
    }
    if (!found.isEmpty()) {
      throw new RuleRejectedException(found);
    }
  }

  private List<Problem> problems(Map<Location, StoredRule> rows) {
    FileRules fileRules = files.get();
    List<RuleCandidate> candidates = new ArrayList<>(rows.size());
    rows.forEach(
        (at, row) -> {
          if (row.isActive()) {
            Problems problems = new Problems();
            OrderedRule rule = RuleCandidates.ordered(row, at, problems);
            candidates.add(new RuleCandidate(rule, null, problems.errors()));
          }
        });
    return MergedPolicy.of(fileRules.policy(), fileRules.origin(), candidates, fileRules.check())
        .problems();
  }

  /** The location of problems that belong to no document. */
  static final Location NOWHERE = Location.of("rate_limit_rule");
}
