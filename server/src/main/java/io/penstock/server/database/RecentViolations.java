package io.penstock.server.database;

import static java.util.Comparator.comparing;
import static java.util.Comparator.naturalOrder;
import static java.util.Comparator.nullsLast;

import io.penstock.policy.KeyPart;
import io.penstock.policy.http.GateObserver;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The latest violations in memory, for a server without a database. Thread-safe.
 *
 * <p>Denials are counted by rule, key and second like those of the database, by a {@link
 * DenialTally} that is drained about once a second and by each query. What shadow rules would have
 * denied is kept separately, so that it displaces no denial.
 */
public final class RecentViolations implements ViolationSource {
  /** The max number of violations, and of those that shadow rules would have caused. */
  public static final int MAX = 10_000;

  /**
   * The max number of violations that are collected at a time, as for the database: during a flood
   * of keys, the records are a sample anyway.
   */
  static final int MAX_COLLECTED = 2_000;

  private static final Comparator<ViolationRepository.Cursor> ORDER =
      comparing(ViolationRepository.Cursor::at).thenComparing(ViolationRepository.Cursor::id);

  private final LatestRecords denials = new LatestRecords();
  private final LatestRecords shadowDenials = new LatestRecords();
  private final ViolationLog log;

  /** Guarded by this. */
  private long lastId;

  /** The latest records of one kind, and those that have not been collected yet. */
  private static final class LatestRecords {
    final DenialTally tally = new DenialTally(MAX_COLLECTED);

    /** Guarded by the enclosing instance. */
    final Deque<ViolationRepository.StoredViolation> rows = new ArrayDeque<>();
  }

  /**
   * @param user the attribute that identifies the user
   */
  public RecentViolations(KeyPart user) {
    this.log = new ViolationLog(denials.tally, shadowDenials.tally, user, rule -> null);
  }

  /** Returns the observer that records denied requests, and those of shadow rules. */
  public GateObserver denials() {
    return log;
  }

  /** Adds the denials since the last call; drops the oldest violations if there are too many. */
  public synchronized void collect() {
    collect(denials);
    collect(shadowDenials);
  }

  private void collect(LatestRecords records) {
    List<Violation> drained = records.tally.drain();
    records.tally.release(drained.size());
    drained.sort(comparing(Violation::requestedAt));
    for (Violation violation : drained) {
      records.rows.addLast(new ViolationRepository.StoredViolation(++lastId, violation));
      if (records.rows.size() > MAX) {
        records.rows.removeFirst();
      }
    }
  }

  private synchronized List<ViolationRepository.StoredViolation> matching(ViolationFilter filter) {
    collect();
    Predicate<Violation> matches = filter.predicate();
    Deque<ViolationRepository.StoredViolation> rows =
        filter.isShadow() ? shadowDenials.rows : denials.rows;
    return rows.stream().filter(row -> matches.test(row.violation())).toList();
  }

  @Override
  public List<ViolationRepository.StoredViolation> page(
      ViolationFilter filter, Optional<ViolationRepository.Cursor> after, int limit) {
    return matching(filter).stream()
        .filter(row -> after.isEmpty() || ORDER.compare(row.cursor(), after.get()) < 0)
        .sorted(comparing(ViolationRepository.StoredViolation::cursor, ORDER).reversed())
        .limit(limit)
        .toList();
  }

  @Override
  public List<ViolationRepository.Offender> top(
      ViolationRepository.GroupBy by, ViolationFilter filter, int limit) {
    Map<@Nullable String, Long> denied = new HashMap<>();
    for (ViolationRepository.StoredViolation row : matching(filter)) {
      denied.merge(by.of(row.violation()), row.violation().denied(), Long::sum);
    }
    return denied.entrySet().stream()
        .map(entry -> new ViolationRepository.Offender(entry.getKey(), entry.getValue()))
        .sorted(
            comparing(ViolationRepository.Offender::denied)
                .reversed()
                .thenComparing(ViolationRepository.Offender::value, nullsLast(naturalOrder())))
        .limit(limit)
        .toList();
  }

  @Override
  public ViolationHistogram histogram(ViolationFilter filter, int maxBars) {
    List<ViolationRepository.StoredViolation> rows = matching(filter);
    Instant end = filter.to() == null ? Instant.now() : filter.to();
    Instant start =
        filter.from() != null
            ? filter.from()
            : rows.stream()
                .map(row -> row.violation().requestedAt())
                .min(naturalOrder())
                .orElse(end);
    ViolationHistogram empty = ViolationHistogram.empty(start, end, maxBars);
    long[] denied = new long[empty.denied().size()];
    for (ViolationRepository.StoredViolation row : rows) {
      int bar = empty.bar(row.violation().requestedAt());
      if (bar < denied.length) {
        denied[bar] += row.violation().denied();
      }
    }
    return empty.with(denied);
  }
}
