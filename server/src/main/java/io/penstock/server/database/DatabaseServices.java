package io.penstock.server.database;

import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.policy.KeyPart;
import io.penstock.server.DenialLog;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A database and all that is done with it while the process runs. Thread-safe. */
public final class DatabaseServices implements AutoCloseable {
  private final Database database;
  private final RuleSync feed;
  private final RuleRepository rules;
  private final RuleHistory history;
  private final ViolationRepository violations;
  private final @Nullable ViolationWriter writer;
  private final DenialLog denials;

  /**
   * How violations are written.
   *
   * @param queue how many rows may wait
   * @param user who has sent a request
   * @param days how long they are kept; 0 for ever
   * @param rows how many are kept; 0 for all
   */
  public record Violations(int queue, KeyPart user, int days, long rows) {}

  /**
   * Puts everything together; nothing is asked before {@link #start}.
   *
   * @param noted how violations are written; empty if they are not
   * @param files rules that are there besides
   */
  public DatabaseServices(
      Database database,
      RuleSync feed,
      Optional<Violations> noted,
      Supplier<RuleRepository.FileRules> files,
      MeterRegistry registry) {
    this.database = database;
    this.feed = feed;
    this.rules = new RuleRepository(database, files, feed.canBeLocal());
    this.history = new RuleHistory(database);
    this.violations = new ViolationRepository(database);
    if (noted.isPresent()) {
      DenialTally tally = new DenialTally(noted.get().queue());
      Retention retention = new Retention(noted.get().days(), noted.get().rows());
      this.writer = new ViolationWriter(database, tally, retention, registry);
      this.denials = new ViolationLog(tally, noted.get().user(), feed::idOf);
    } else {
      this.writer = null;
      this.denials = DenialLog.NONE;
    }
  }

  /** Puts rules in force as far as they can be had now, and keeps at it. */
  public void start() {
    feed.start();
    if (writer != null) {
      writer.start();
    }
  }

  public RuleSync feed() {
    return feed;
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

  /** Takes denied requests down. */
  public DenialLog denials() {
    return denials;
  }

  @Override
  public void close() {
    feed.close();
    if (writer != null) {
      writer.close();
    }
    database.close();
  }
}
