package io.penstock.server.database;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.policy.KeyPart;
import io.penstock.policy.http.GateObserver;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A database and the services that use it while the process runs. Thread-safe. */
public final class DatabaseServices implements AutoCloseable {
  private final Database database;
  private final RuleSync ruleSync;
  private final RuleRepository rules;
  private final RuleHistory history;
  private final ViolationRepository violations;
  private final @Nullable ViolationWriter writer;
  private final GateObserver denials;

  /**
   * How violations are written.
   *
   * @param queue the max number of queued rows
   * @param user the attribute that identifies the user
   * @param days how many days rows are kept; 0 means forever
   * @param rows the max number of rows that are kept; 0 means all
   */
  public record Violations(int queue, KeyPart user, int days, long rows) {}

  /**
   * Creates the services; they don't connect before {@link #start}.
   *
   * @param options how violations are written; empty to write none
   * @param files the rules of files
   */
  public DatabaseServices(
      Database database,
      RuleSync ruleSync,
      Optional<Violations> options,
      Supplier<RuleRepository.FileRules> files,
      MeterRegistry registry) {
    this.database = database;
    this.ruleSync = ruleSync;
    this.rules = new RuleRepository(database, files);
    this.history = new RuleHistory(database);
    this.violations = new ViolationRepository(database);
    if (options.isPresent()) {
      DenialTally tally = new DenialTally(options.get().queue());
      Retention retention = new Retention(options.get().days(), options.get().rows());
      this.writer = new ViolationWriter(database, tally, retention, registry);
      this.denials = new ViolationLog(tally, tally, options.get().user(), ruleSync::idOf);
    } else {
      this.writer = null;
      this.denials = GateObserver.NONE;
    }
  }

  /** Loads the rules that are available now, and starts watching for changes. */
  public void start() {
    ruleSync.start();
    if (writer != null) {
      writer.start();
    }
  }

  public RuleSync ruleSync() {
    return ruleSync;
  }

  public RuleRepository rules() {
    return rules;
  }

  public RuleHistory history() {
    return history;
  }

  public ViolationRepository violations() {
    return violations;
  }

  /** Returns the observer that records denied requests. */
  public GateObserver denials() {
    return denials;
  }

  @Override
  public void close() {
    ruleSync.close();
    if (writer != null) {
      writer.close();
    }
    database.close();
  }
}
