package io.penstock.server.database;

import io.penstock.policy.Policy;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.MergedPolicy;
import io.penstock.policy.load.OrderedRule;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.RuleCandidate;
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
 * Rules in the database, to be looked at and changed. Thread-safe; everything here blocks.
 *
 * <p>A change is made only if the rules after it can all be used as far as they could before, and
 * then as a whole, with its history, in one transaction.
 */
public final class RuleRepository {
  private static final long NEW = Long.MAX_VALUE;

  private final Database database;
  private final Supplier<FileRules> files;
  private final boolean canBeLocal;

  /**
   * Rules of files, and what else rules of the database have to go with.
   *
   * @param origin how problems call the files
   * @param check finds out whether this process can use a rule
   */
  public record FileRules(Policy policy, String origin, MergedPolicy.RuleCheck check) {
    public static final FileRules NONE =
        new FileRules(Policy.of(), "", MergedPolicy.RuleCheck.NONE);
  }

  /**
   * How a change is to be made.
   *
   * @param by who the history says has made it
   * @param dryRun whether it is only to be said what would change
   */
  public record ChangeOptions(String by, boolean dryRun) {}

  /**
   * @param files rules that are there besides
   * @param canBeLocal whether rules may have {@code on_store_failure: local}
   */
  public RuleRepository(Database database, Supplier<FileRules> files, boolean canBeLocal) {
    this.database = database;
    this.files = files;
    this.canBeLocal = canBeLocal;
  }

  /** Whether the tables are there. */
  public boolean isPrepared() {
    return database.transaction(RuleTable::exists);
  }

  /**
   * Makes the tables where there are none. Those that are there stay as they are: somebody may have
   * made them by hand, and we may have no right to change them.
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

  /** All rules, in their order. */
  public List<StoredRule> all() {
    return database.transaction(RuleTable::all).stream().map(StoredRule::new).toList();
  }

  /** Some rules by their identity, those after {@code after}. */
  public List<StoredRule> page(long after, int most) {
    return database.transaction(connection -> RuleTable.page(connection, after, most)).stream()
        .map(StoredRule::new)
        .toList();
  }

  public Optional<StoredRule> find(String name) {
    return database
        .transaction(connection -> RuleTable.byName(connection, name))
        .map(StoredRule::new);
  }

  /**
   * Adds a rule.
   *
   * @throws RuleRejectedException if it can't be used
   * @throws ConflictException if there is one of that name
   */
  public RuleChange create(RuleDraft draft, ChangeOptions how) {
    RuleContent content = read(List.of(draft)).get(0);
    return change(
            how,
            connection -> {
              if (RuleTable.lockedByName(connection, content.name()).isPresent()) {
                throw new ConflictException("there is a rule of that name: " + content.name());
              }
              return List.of(new ChangeStep(null, ordered(content, draft, null), draft));
            })
        .get(0);
  }

  /**
   * Puts another rule in the place of one.
   *
   * @param version the one that was seen
   * @return empty if there is no rule of that name
   * @throws RuleRejectedException if it can't be used
   * @throws ConflictException if the rule has another version by now
   */
  public Optional<RuleChange> replace(
      String name, RuleDraft draft, long version, ChangeOptions how) {
    RuleContent content = read(List.of(draft)).get(0);
    return first(
        change(
            how,
            connection -> {
              RuleRow before = seen(connection, name, version).orElse(null);
              return before == null
                  ? List.of()
                  : List.of(new ChangeStep(before, ordered(content, draft, before), draft));
            }));
  }

  /**
   * Takes a rule away.
   *
   * @param version the one that was seen
   * @return empty if there is no rule of that name
   * @throws ConflictException if the rule has another version by now
   */
  public Optional<RuleChange> delete(String name, long version, ChangeOptions how) {
    return first(
        change(
            how,
            connection ->
                seen(connection, name, version).stream()
                    .map(before -> new ChangeStep(before, null, null))
                    .toList()));
  }

  /**
   * Makes the database have some rules, all or none of them.
   *
   * @param alone whether all others go, but for rows that are not active
   * @return what has changed, but for rules that stay as they are
   * @throws RuleRejectedException if any can't be used
   */
  public List<RuleChange> apply(List<RuleDraft> drafts, boolean alone, ChangeOptions how) {
    List<RuleContent> contents = read(drafts);
    return change(how, connection -> steps(connection, drafts, contents, alone)).stream()
        .filter(change -> !change.isNone())
        .toList();
  }

  private static List<ChangeStep> steps(
      Connection connection, List<RuleDraft> drafts, List<RuleContent> contents, boolean alone)
      throws SQLException {
    Map<String, RuleRow> rows = new LinkedHashMap<>();
    RuleTable.all(connection).forEach(row -> rows.put(row.content().name(), row));
    List<ChangeStep> steps = new ArrayList<>();
    for (int i = 0; i < drafts.size(); i++) {
      RuleContent content = contents.get(i);
      RuleRow before = rows.remove(content.name());
      steps.add(new ChangeStep(before, ordered(content, drafts.get(i), before), drafts.get(i)));
    }
    if (alone) {
      List<ChangeStep> gone =
          rows.values().stream()
              .filter(row -> row.content().active())
              .map(row -> new ChangeStep(row, null, null))
              .toList();
      steps.addAll(0, gone);
    }
    return steps;
  }

  private static Optional<RuleRow> seen(Connection connection, String name, long version)
      throws SQLException {
    Optional<RuleRow> row = RuleTable.lockedByName(connection, name);
    if (row.isPresent() && row.get().version() != version) {
      throw new ConflictException(
          "the rule has changed: its version is " + row.get().version() + ", not " + version);
    }
    return row;
  }

  private static Optional<RuleChange> first(List<RuleChange> changes) {
    return changes.stream().findFirst();
  }

  /** What is done to a row. */
  private record ChangeStep(
      @Nullable RuleRow before, @Nullable RuleContent after, @Nullable RuleDraft draft) {}

  private List<RuleContent> read(List<RuleDraft> drafts) {
    Problems problems = new Problems();
    List<RuleContent> contents = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (RuleDraft draft : drafts) {
      if (RuleCandidates.read(draft.rule(), canBeLocal, problems) != null) {
        RuleContent content = RuleColumns.of(draft.rule(), 0, draft.active(), problems);
        if (content != null) {
          contents.add(content);
          if (!names.add(content.name())) {
            problems.error(
                draft.rule().at(),
                draft.rule().path(),
                "must have a name of its own: " + content.name());
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
      RuleContent content, RuleDraft draft, @Nullable RuleRow before) {
    Integer given = draft.tierOrder();
    int order = given != null ? given : before == null ? 0 : before.content().tier().order();
    return content.at(order);
  }

  private List<RuleChange> change(ChangeOptions how, Database.SqlWork<List<ChangeStep>> planned) {
    return database.transaction(
        connection -> {
          lock(connection);
          RuleTable.changedBy(connection, how.by());
          List<ChangeStep> steps = planned.in(connection);
          check(RuleTable.all(connection), steps);
          List<RuleChange> changes = new ArrayList<>();
          for (ChangeStep step : steps) {
            changes.add(make(connection, step));
          }
          if (how.dryRun()) {
            connection.rollback();
          }
          return changes;
        });
  }

  /** Those who change rules through us do so one after another. */
  private static void lock(Connection connection) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT pg_advisory_xact_lock(hashtext('rate_limit_rule'))")) {
      statement.execute();
    }
  }

  private static RuleChange make(Connection connection, ChangeStep step) throws SQLException {
    StoredRule before = step.before == null ? null : new StoredRule(step.before);
    try {
      if (step.after == null) {
        if (step.before != null) {
          RuleTable.delete(connection, step.before.id());
        }
        return new RuleChange(before, null);
      }
      if (step.before != null && step.before.content().equals(step.after)) {
        return new RuleChange(before, before);
      }
      RuleRow after =
          step.before == null
              ? RuleTable.insert(connection, step.after)
              : RuleTable.update(connection, step.before.id(), step.after);
      return new RuleChange(before, new StoredRule(after));
    } catch (SQLException e) {
      throw DataErrors.refused(e, step.draft);
    }
  }

  /** Everything that could be used has to be so afterwards too. */
  private void check(List<RuleRow> rows, List<ChangeStep> steps) {
    Map<Long, RuleRow> after = new LinkedHashMap<>();
    rows.forEach(row -> after.put(row.id(), row));
    Map<String, RuleDraft> drafts = new HashMap<>();
    long unused = NEW;
    for (ChangeStep step : steps) {
      long id = step.before == null ? unused-- : step.before.id();
      after.remove(id);
      if (step.after != null) {
        RuleRow row = new RuleRow(id, 0, Instant.EPOCH, step.after);
        after.put(id, row);
        if (step.draft != null) {
          drafts.put(row.place(), step.draft);
        }
      }
    }
    Set<Problem> known = new HashSet<>(problems(rows));
    List<Problem> found = new ArrayList<>();
    for (Problem problem : problems(new ArrayList<>(after.values()))) {
      RuleDraft draft = drafts.get(problem.location().file());
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

  private List<Problem> problems(List<RuleRow> rows) {
    FileRules beside = files.get();
    List<RuleCandidate> candidates = new ArrayList<>(rows.size());
    for (RuleRow row : rows) {
      if (row.content().active()) {
        Problems problems = new Problems();
        OrderedRule standing = RuleCandidates.standing(row, canBeLocal, problems);
        candidates.add(new RuleCandidate(standing, null, problems.errors()));
      }
    }
    return MergedPolicy.of(beside.policy(), beside.origin(), candidates, beside.check())
        .problems()
        .stream()
        .map(problem -> withoutNewPlaces(problem))
        .toList();
  }

  /** A rule that is not there yet has no number. */
  private static Problem withoutNewPlaces(Problem problem) {
    String message = problem.message().replaceAll("at rate_limit_rule 92233720\\d{11}", "new");
    return new Problem(problem.severity(), problem.location(), problem.path(), message);
  }

  /** Where problems of no document are. */
  static final Location NOWHERE = Location.of("rate_limit_rule");
}
