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
 * Keeps the rules of the database in force, in a thread of its own. Thread-safe.
 *
 * <p>Every change of the table notifies us; beneath that we look once a minute, in case a
 * notification is lost. What was last in force is in a snapshot, which counts until the database
 * can be asked.
 */
public final class RuleSync implements AutoCloseable {
  /** How often to look without having been told of a change. */
  public static final Duration POLL = Duration.ofSeconds(60);

  private static final Logger LOG = LoggerFactory.getLogger(RuleSync.class);
  private static final int LOOK_MILLIS = 500;

  /** How long nothing may be heard before the database is asked whether it is there. */
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int PROBE_TIMEOUT_SECONDS = 2;

  /** A database that has not answered for so long counts as unavailable, whatever it is at. */
  private static final long STALE_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final long FIRST_TRY_SECONDS = 20;
  private static final long MIN_PAUSE_MILLIS = 250;
  private static final long MAX_PAUSE_MILLIS = 2_000;

  /** Takes rules into force. */
  public interface Policies {
    /** What has come of the rules of {@code origin}; empty if nothing could. */
    Optional<MergedPolicy> join(List<RuleCandidate> candidates, String origin);
  }

  /**
   * How things stand. Immutable.
   *
   * @param source what the rules in force are from: database, snapshot or none
   * @param rules how many of them there are
   * @param problem why the database can't be asked; null if it can
   */
  public record SyncStatus(boolean available, String source, int rules, @Nullable String problem) {}

  private final Database database;
  private final Policies policies;
  private final RuleCandidates candidates;
  private final boolean canBeLocal;
  private final @Nullable RuleSnapshot snapshot;
  private final boolean migrates;
  private final long pollNanos;
  private final Counter loads;
  private final Counter failures;
  private final CountDownLatch firstTry = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "penstock-rule-feed");
  private volatile SyncStatus state = new SyncStatus(false, "none", 0, "not asked yet");
  private volatile long heardNanos;
  private volatile Map<String, Long> ids = Map.of();
  private volatile boolean told;
  private volatile boolean closed;
  private volatile @Nullable Connection current;
  private Map<Long, RuleRow> known = Map.of();
  private List<RuleRow> saved = List.of();
  private @Nullable String fingerprint;
  private boolean migrated;

  /**
   * @param options what may differ between processes
   */
  public RuleSync(Database database, Options options, Policies policies, MeterRegistry registry) {
    this.database = database;
    this.policies = policies;
    this.canBeLocal = options.canBeLocal;
    this.candidates = new RuleCandidates(canBeLocal);
    this.snapshot = options.snapshot.map(RuleSnapshot::new).orElse(null);
    this.migrates = options.migrates;
    this.pollNanos = options.poll.toNanos();
    this.loads = outcome(registry, "loaded");
    this.failures = outcome(registry, "failed");
    Gauge.builder("penstock.database.available", () -> state().available ? 1 : 0)
        .description("Whether the database can be asked: 1 or 0")
        .register(registry);
    Gauge.builder("penstock.database.rules", () -> state.rules)
        .description("Rules of the database that are in force")
        .register(registry);
    thread.setDaemon(true);
  }

  /**
   * What may differ between processes.
   *
   * @param snapshot the file for what was last in force; none without it
   * @param migrates whether to make the tables
   * @param canBeLocal whether rules may have {@code on_store_failure: local}
   */
  public record Options(
      Optional<java.nio.file.Path> snapshot, boolean migrates, boolean canBeLocal, Duration poll) {}

  private static Counter outcome(MeterRegistry registry, String outcome) {
    return Counter.builder("penstock.database.loads")
        .description("How often rules were read from the database")
        .tag("outcome", outcome)
        .register(registry);
  }

  /** Puts the snapshot in force, then what is in the database if it can be asked at once. */
  public void start() {
    if (snapshot != null) {
      takeSnapshot(snapshot);
    }
    thread.start();
    try {
      if (!firstTry.await(FIRST_TRY_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the database takes its time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!state.available) {
      LOG.warn(
          "the database can't be asked ({}); rules in force are from: {}",
          state.problem,
          state.source);
    }
  }

  public SyncStatus state() {
    SyncStatus last = state;
    long silentNanos = System.nanoTime() - heardNanos;
    return last.available && silentNanos > STALE_NANOS
        ? new SyncStatus(
            false,
            last.source,
            last.rules,
            "no answer for " + TimeUnit.NANOSECONDS.toSeconds(silentNanos) + " s")
        : last;
  }

  /** Whether rules may have {@code on_store_failure: local}. */
  boolean canBeLocal() {
    return canBeLocal;
  }

  /** The row of a rule that is in force; null if it has none. */
  @Nullable Long idOf(String rule) {
    return ids.get(rule);
  }

  /** Looks as soon as possible. */
  public void refresh() {
    told = true;
  }

  private void takeSnapshot(RuleSnapshot from) {
    try {
      List<RuleRow> rows = from.read().orElse(null);
      if (rows != null) {
        putInForce(rows, "snapshot " + from.file());
        saved = rows;
        state = new SyncStatus(false, "snapshot", ids.size(), "not asked yet");
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("the snapshot {} is not used: {}", from.file(), e.getMessage());
    }
  }

  private void run() {
    long pause = MIN_PAUSE_MILLIS;
    while (!closed) {
      try (Connection connection = database.ownConnection()) {
        current = connection;
        prepare(connection);
        load(connection);
        firstTry.countDown();
        pause = MIN_PAUSE_MILLIS;
        listen(connection);
      } catch (SQLException | RuntimeException e) {
        lost(e);
        firstTry.countDown();
        pause = rest(pause);
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
      boolean changed = notified.getNotifications(LOOK_MILLIS).length > 0 || told;
      if (changed || System.nanoTime() - due >= 0) {
        if (changed) {
          fingerprint = null;
        }
        told = false;
        load(connection);
        due = System.nanoTime() + pollNanos;
      } else if (System.nanoTime() - heardNanos >= PROBE_NANOS) {
        probe(connection);
      }
    }
  }

  /** A connection on which nothing comes looks the same whether nothing happens or all hangs. */
  private void probe(Connection connection) throws SQLException {
    if (!connection.isValid(PROBE_TIMEOUT_SECONDS)) {
      throw new SQLException("no answer within " + PROBE_TIMEOUT_SECONDS + " s");
    }
    connection.commit();
    heardNanos = System.nanoTime();
  }

  private void load(Connection connection) throws SQLException {
    String now = RuleTable.fingerprint(connection);
    if (!now.equals(fingerprint)) {
      long begin = System.nanoTime();
      List<RuleRow> rows = RuleTable.active(connection, known);
      connection.commit();
      known = rows.stream().collect(Collectors.toMap(RuleRow::id, row -> row));
      long read = System.nanoTime();
      putInForce(rows, "postgres " + database.address());
      LOG.debug(
          "{} rows were read in {} ms and put in force in {} ms",
          rows.size(),
          TimeUnit.NANOSECONDS.toMillis(read - begin),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - read));
      fingerprint = now;
      loads.increment();
    } else {
      connection.commit();
    }
    if (!state.available) {
      LOG.info("the database is there; rules of it that are in force: {}", ids.size());
    }
    heardNanos = System.nanoTime();
    state = new SyncStatus(true, "database", ids.size(), null);
  }

  private void putInForce(List<RuleRow> rows, String origin) {
    MergedPolicy joint = policies.join(candidates.of(rows), origin).orElse(null);
    if (joint == null) {
      return;
    }
    List<RuleRow> inForce = candidates.inForce(rows, joint.standings());
    Map<String, Long> named = new HashMap<>();
    inForce.forEach(row -> named.put(row.content().name(), row.id()));
    ids = named;
    if (snapshot != null && !inForce.equals(saved)) {
      try {
        snapshot.write(inForce);
        saved = inForce;
      } catch (IOException e) {
        LOG.warn("the snapshot {} can't be written: {}", snapshot.file(), e.toString());
      }
    }
  }

  private void lost(Exception e) {
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
      LOG.warn("the database can't be asked, rules stay as they are: {}", reason);
    }
    state = new SyncStatus(false, state.source, state.rules, reason);
  }

  /** Waits a little longer each time, and not all processes equally long. */
  private long rest(long pauseMillis) {
    try {
      Thread.sleep(pauseMillis / 2 + ThreadLocalRandom.current().nextLong(pauseMillis));
    } catch (InterruptedException e) {
      LOG.debug("told to end");
    }
    return Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
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
        LOG.debug("the connection was closed already", e);
      }
    }
    try {
      thread.join(TimeUnit.SECONDS.toMillis(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
