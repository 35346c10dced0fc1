package io.penstock.server.database;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.policy.load.MergedPolicy;
import io.penstock.policy.load.RuleCandidate;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the active rules in sync with the database, on a dedicated thread. Thread-safe.
 *
 * <p>Every change of the table sends a notification. In case one is lost, the table is also checked
 * once a minute. A snapshot contains the last active rules, which are used until the database is
 * available.
 */
public final class RuleSync implements AutoCloseable {
  /** The interval of checks without a notification. */
  public static final Duration POLL = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(RuleSync.class);
  private static final int NOTIFICATION_POLL_MILLIS = 500;

  /** How long the connection may be silent before it is probed. */
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int PROBE_TIMEOUT_SECONDS = 2;

  /**
   * After this time without a response, the database counts as unavailable, whatever it is doing.
   */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final long FIRST_LOAD_TIMEOUT_SECONDS = 20;
  private static final long MIN_BACKOFF_MILLIS = 250;
  private static final long MAX_BACKOFF_MILLIS = 2_000;

  /** Activates rules. */
  public interface Policies {
    /**
     * Merges the rules of {@code origin} into the active policy; returns empty if they were
     * rejected.
     */
    Optional<MergedPolicy> merge(List<RuleCandidate> candidates, String origin);
  }

  /**
   * The state of the synchronization. Immutable.
   *
   * @param source the source of the active rules: database, snapshot or none
   * @param rules the number of active rules
   * @param problem why the database is unavailable; null if it is available
   */
  public record SyncStatus(boolean available, String source, int rules, @Nullable String problem) {}

  private final Database database;
  private final Policies policies;
  private final RuleCandidates candidates = new RuleCandidates();
  private final @Nullable RuleSnapshot snapshot;
  private final boolean migrates;
  private final long pollNanos;
  private final Counter loads;
  private final Counter failures;
  private final CountDownLatch firstLoad = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "penstock-rule-sync");
  private volatile SyncStatus state = new SyncStatus(false, "none", 0, "not connected yet");
  private volatile long lastResponseNanos;
  private volatile Map<String, Long> ids = Map.of();
  private volatile boolean refreshRequested;
  private volatile boolean closed;
  private volatile @Nullable Connection current;
  private Map<Long, StoredRule> known = Map.of();
  private List<StoredRule> saved = List.of();
  private @Nullable String fingerprint;
  private boolean migrated;

  /**
   * @param options the options of this process
   */
  public RuleSync(
      Database database, RuleSyncOptions options, Policies policies, MeterRegistry registry) {
    this.database = database;
    this.policies = policies;
    this.snapshot = options.snapshot.map(RuleSnapshot::new).orElse(null);
    this.migrates = options.migrates;
    this.pollNanos = options.poll.toNanos();
    this.loads = outcome(registry, "loaded");
    this.failures = outcome(registry, "failed");
    Gauge.builder("penstock.database.available", () -> state().available ? 1 : 0)
        .description("Whether the database is available: 1 or 0")
        .register(registry);
    Gauge.builder("penstock.database.rules", () -> state.rules)
        .description("Active rules from the database")
        .register(registry);
    thread.setDaemon(true);
  }

  /**
   * Options from the settings.
   *
   * @param snapshot the file for the last active rules; empty for none
   * @param migrates whether to create and migrate the tables
   */
  public record RuleSyncOptions(
      Optional<java.nio.file.Path> snapshot, boolean migrates, Duration poll) {}

  private static Counter outcome(MeterRegistry registry, String outcome) {
    return Counter.builder("penstock.database.loads")
        .description("Attempts to load rules from the database")
        .tag("outcome", outcome)
        .register(registry);
  }

  /** Activates the snapshot, then the rules of the database if it responds in time. */
  public void start() {
    if (snapshot != null) {
      loadSnapshot(snapshot);
    }
    thread.start();
    try {
      if (!firstLoad.await(FIRST_LOAD_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("no response from the database yet; starting without waiting any longer");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!state.available) {
      LOG.warn(
          "the database is unavailable ({}); source of the active rules: {}",
          state.problem,
          state.source);
    }
  }

  public SyncStatus state() {
    SyncStatus last = state;
    long silentNanos = System.nanoTime() - lastResponseNanos;
    return last.available && silentNanos > STALE_NANOS
        ? new SyncStatus(
            false,
            last.source,
            last.rules,
            "no response for " + TimeUnit.NANOSECONDS.toSeconds(silentNanos) + " s")
        : last;
  }

  /** Returns the row id of an active rule; null if it comes from a file. */
  @Nullable Long idOf(String rule) {
    return ids.get(rule);
  }

  /** Checks the table as soon as possible. */
  public void refresh() {
    refreshRequested = true;
  }

  private void loadSnapshot(RuleSnapshot from) {
    try {
      List<StoredRule> rows = from.read().orElse(null);
      if (rows != null) {
        activate(rows, "snapshot " + from.file());
        saved = rows;
        state = new SyncStatus(false, "snapshot", ids.size(), "not connected yet");
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("cannot use the snapshot {}; starting without it: {}", from.file(), e.getMessage());
    }
  }

  private void run() {
    long backoffMillis = MIN_BACKOFF_MILLIS;
    while (!closed) {
      try (Connection connection = database.ownConnection()) {
        current = connection;
        prepare(connection);
        load(connection);
        firstLoad.countDown();
        backoffMillis = MIN_BACKOFF_MILLIS;
        listen(connection);
      } catch (SQLException | RuntimeException e) {
        onFailure(e);
        firstLoad.countDown();
        backoffMillis = backOff(backoffMillis);
      }
    }
  }

  private void prepare(Connection connection) throws SQLException {
    if (migrates && !migrated) {
      Migrations.run(database);
    }
    migrated = true;
    try (Statement statement = connection.createStatement()) {
      statement.execute("LISTEN penstock_rules");
    }
    connection.setAutoCommit(false);
    fingerprint = null;
    known = Map.of();
  }

  private void listen(Connection connection) throws SQLException {
    PGConnection notified = connection.unwrap(PGConnection.class);
    long due = System.nanoTime() + pollNanos;
    while (!closed) {
      boolean changed =
          notified.getNotifications(NOTIFICATION_POLL_MILLIS).length > 0 || refreshRequested;
      if (changed || System.nanoTime() - due >= 0) {
        if (changed) {
          fingerprint = null;
        }
        refreshRequested = false;
        load(connection);
        due = System.nanoTime() + pollNanos;
      } else if (System.nanoTime() - lastResponseNanos >= PROBE_NANOS) {
        probe(connection);
      }
    }
  }

  /** Probes the connection: without it, a hanging server looks the same as one without changes. */
  private void probe(Connection connection) throws SQLException {
    if (!connection.isValid(PROBE_TIMEOUT_SECONDS)) {
      throw new SQLException("no response within " + PROBE_TIMEOUT_SECONDS + " s");
    }
    connection.commit();
    lastResponseNanos = System.nanoTime();
  }

  private void load(Connection connection) throws SQLException {
    String currentFingerprint = RuleTable.fingerprint(connection);
    if (!currentFingerprint.equals(fingerprint)) {
      long startNanos = System.nanoTime();
      List<StoredRule> rows = RuleTable.active(connection, known);
      connection.commit();
      known = rows.stream().collect(Collectors.toMap(StoredRule::id, row -> row));
      long readNanos = System.nanoTime();
      activate(rows, "postgres " + database.address());
      LOG.debug(
          "{} rows read in {} ms and activated in {} ms",
          rows.size(),
          TimeUnit.NANOSECONDS.toMillis(readNanos - startNanos),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - readNanos));
      fingerprint = currentFingerprint;
      loads.increment();
    } else {
      connection.commit();
    }
    if (!state.available) {
      LOG.info("the database is available; active rules from it: {}", ids.size());
    }
    lastResponseNanos = System.nanoTime();
    state = new SyncStatus(true, "database", ids.size(), null);
  }

  private void activate(List<StoredRule> rows, String origin) {
    MergedPolicy merged = policies.merge(candidates.of(rows), origin).orElse(null);
    if (merged == null) {
      return;
    }
    List<StoredRule> activeRows = candidates.activate(rows, merged.databaseRules());
    Map<String, Long> named = new HashMap<>();
    activeRows.forEach(row -> named.put(row.name(), row.id()));
    ids = named;
    if (snapshot != null && !activeRows.equals(saved)) {
      try {
        snapshot.write(activeRows);
        saved = activeRows;
      } catch (IOException e) {
        LOG.warn("cannot write the snapshot {}: {}", snapshot.file(), e.toString());
      }
    }
  }

  private void onFailure(Exception e) {
    current = null;
    if (closed) {
      return;
    }
    failures.increment();
    String reason =
        e instanceof SQLException sql
            ? DatabaseUnavailableException.reason(sql)
            : String.valueOf(e);
    if (state.available || !reason.equals(state.problem)) {
      LOG.warn("the database is unavailable; the active rules stay in effect: {}", reason);
    }
    state = new SyncStatus(false, state.source, state.rules, reason);
  }

  /** Sleeps with exponential backoff and jitter; returns the next delay. */
  private long backOff(long delayMillis) {
    try {
      Thread.sleep(delayMillis / 2 + ThreadLocalRandom.current().nextLong(delayMillis));
    } catch (InterruptedException e) {
      LOG.debug("interrupted by shutdown");
    }
    return Math.min(2 * delayMillis, MAX_BACKOFF_MILLIS);
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    Connection open = current;
    if (open != null) {
      try {
        open.abort(Runnable::run);
      } catch (SQLException e) {
        LOG.debug("connection was already closed", e);
      }
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
