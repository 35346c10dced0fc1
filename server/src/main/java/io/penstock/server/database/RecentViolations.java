package io.penstock.server.database;

import static java.util.Comparator.comparing;
import static java.util.Comparator.naturalOrder;
import static java.util.Comparator.nullsLast;

import io.penstock.policy.KeyPart;
import io.penstock.policy.http.GateObserver;
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
 * DenialTally} that is drained about once a second and by each query.
 */
public final class RecentViolations implements ViolationSource {
  /** The max number of violations. */
  public static final int MAX = 10_000;

  private static final Comparator<ViolationRepository.Cursor> ORDER =
      comparing(ViolationRepository.Cursor::at).thenComparing(ViolationRepository.Cursor::id);

  private final DenialTally tally = new DenialTally(MAX);
  private final ViolationLog log;

  /** Guarded by this. */
  private final Deque<ViolationRepository.StoredViolation> violations = new ArrayDeque<>();

  private long lastId;

  /**
   * @param user the attribute that identifies the user
   */
  public RecentViolations(KeyPart user) {
    this.log = new ViolationLog(tally, user, rule -> null);
  }

  /** Returns the observer that records denied requests. */
  public GateObserver denials() {
    return log;
  }

  /** Adds the denials since the last call; drops the oldest violations if there are too many. */
  public synchronized void collect() {
    List<Violation> drained = tally.drain();
    tally.release(drained.size());
    drained.sort(comparing(Violation::requestedAt));
    for (Violation violation : drained) {
      violations.addLast(new ViolationRepository.StoredViolation(++lastId, violation));
      if (violations.size() > MAX) {
        violations.removeFirst();
      }
    }
  }

  private synchronized List<ViolationRepository.StoredViolation> matching(ViolationFilter filter) {
    collect();
    Predicate<Violation> matches = filter.predicate();
    return violations.stream().filter(row -> matches.test(row.violation())).toList();
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
}
