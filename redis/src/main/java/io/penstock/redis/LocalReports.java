package io.penstock.redis;

import java.util.ArrayList;
import java.util.List;

/** Creates the requests that report to Redis what this node has granted without it. Thread-safe. */
final class LocalReports {
  /** How long a report is retried while a slot is migrating in a cluster. */
  private static final long RETRY_NANOS = 1_000_000_000;

  private final LocalBuckets local;
  private final ServerClock serverClock;

  LocalReports(LocalBuckets local, ServerClock serverClock) {
    this.local = local;
    this.serverClock = serverClock;
  }

  /** The reports that have to precede a request, because this node has decided without Redis. */
  List<PendingRequest> preceding(PendingRequest request) {
    List<PendingRequest> reports = List.of();
    if (request.operation() == Operation.TAKE && local.hasUnreported()) {
      for (RedisClaim claim : request.claims()) {
        LocalBuckets.Report report = local.report(claim);
        if (report != null) {
          reports = reports.isEmpty() ? new ArrayList<>() : reports;
          reports.add(raiseDebt(report));
        }
      }
    }
    return reports;
  }

  /**
   * Reports to Redis what this node has granted, after the copy of a bucket has decided: raises the
   * debt of a token bucket to that of its copy, or the count of a window to the grants of this
   * node.
   */
  private PendingRequest raiseDebt(LocalBuckets.Report report) {
    RedisClaim claim = report.claim();
    RedisClaim missing = claim.buckets().claim(claim.key(), report.missingThousandths(), 0);
    PendingRequest raise =
        new PendingRequest(
            Operation.RAISE_DEBT,
            List.of(missing),
            System.nanoTime() + RETRY_NANOS,
            claim.isTokenBucket()
                ? new long[] {serverClock.micros()}
                : WindowGrants.arguments(report.grants()));
    var unused =
        raise
            .decision()
            .whenComplete(
                (done, failure) -> local.reported(report, done != null && !done.degraded()));
    return raise;
  }
}
