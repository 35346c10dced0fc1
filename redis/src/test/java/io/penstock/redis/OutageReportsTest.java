package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class OutageReportsTest {
  private static final RedisOutage CONNECTION_REFUSED =
      outage(UnavailableReason.CONNECTION_REFUSED);
  private static final RedisOutage TIMEOUT = outage(UnavailableReason.TIMEOUT);
  private static final Duration FOREVER = Duration.ofDays(1);

  private final Counts counts = new Counts();
  private long nowNanos = Long.MAX_VALUE - 5;
  private final OutageReports outages = new OutageReports(counts, false, () -> {}, () -> nowNanos);

  private static RedisOutage outage(UnavailableReason reason) {
    return new RedisOutage(reason, "redis:6379", "");
  }

  @Test
  void awaitStart_definiteOutageTwice_returnsAtOnce() {
    outages.unavailable(TIMEOUT);
    outages.unavailable(CONNECTION_REFUSED);
    outages.unavailable(CONNECTION_REFUSED);
    outages.awaitStart(FOREVER);

    assertThat(counts.outages).containsExactly(CONNECTION_REFUSED);
    assertThat(outages.current()).isEqualTo(CONNECTION_REFUSED);
  }

  @Test
  void awaitStart_definiteOutageOnceThenAvailable_reportsNoOutage() {
    outages.unavailable(CONNECTION_REFUSED);
    assertThat(counts.outages).isEmpty();

    outages.available();
    outages.awaitStart(FOREVER);

    assertThat(counts.outages).isEmpty();
    assertThat(counts.changes).containsExactly(true);
  }

  @Test
  void awaitStart_available_returnsAtOnceAndReportsNoOutage() {
    outages.unavailable(TIMEOUT);
    outages.available();
    outages.awaitStart(FOREVER);

    assertThat(counts.outages).isEmpty();
    assertThat(counts.changes).containsExactly(true);
    assertThat(outages.current()).isNull();
  }

  @Test
  void awaitStart_temporaryOutage_isReportedAfterTheTimeout() {
    outages.unavailable(TIMEOUT);
    assertThat(counts.outages).isEmpty();

    outages.awaitStart(Duration.ofMillis(1));

    assertThat(counts.outages).containsExactly(TIMEOUT);
  }

  @Test
  void awaitStart_unavailableAndFailFast_leavesTheReasonToTheException() {
    OutageReports failingFast = new OutageReports(counts, true, () -> {}, () -> nowNanos);
    failingFast.unavailable(CONNECTION_REFUSED);
    failingFast.unavailable(CONNECTION_REFUSED);
    failingFast.awaitStart(FOREVER);
    failingFast.unavailable(CONNECTION_REFUSED);

    assertThat(counts.outages).isEmpty();
    assertThat(failingFast.current()).isEqualTo(CONNECTION_REFUSED);
  }

  @Test
  void unavailable_failFastAndAvailableBefore_isReported() {
    OutageReports failingFast = new OutageReports(counts, true, () -> {}, () -> nowNanos);
    failingFast.available();
    failingFast.awaitStart(FOREVER);
    failingFast.unavailable(TIMEOUT);

    assertThat(counts.outages).containsExactly(TIMEOUT);
  }

  @Test
  void unavailable_repeated_isReportedOnceForEachReason() {
    outages.available();
    outages.unavailable(TIMEOUT);
    outages.unavailable(TIMEOUT);
    outages.unavailable(CONNECTION_REFUSED);
    outages.unavailable(CONNECTION_REFUSED);
    outages.available();
    outages.available();
    outages.unavailable(TIMEOUT);

    assertThat(counts.outages).containsExactly(TIMEOUT, CONNECTION_REFUSED, TIMEOUT);
    assertThat(counts.changes).containsExactly(true, false, true, false);
  }

  @Test
  void unavailable_anotherReasonOnce_isIgnored() {
    outages.available();
    outages.unavailable(CONNECTION_REFUSED);
    outages.unavailable(TIMEOUT);
    outages.unavailable(CONNECTION_REFUSED);

    assertThat(counts.outages).containsExactly(CONNECTION_REFUSED);
    assertThat(outages.current()).isEqualTo(CONNECTION_REFUSED);
  }

  @Test
  void unavailable_longOutage_isReportedAgain() {
    outages.available();
    outages.unavailable(TIMEOUT);
    nowNanos += Duration.ofSeconds(4).toNanos();
    outages.unavailable(TIMEOUT);
    assertThat(counts.outages).hasSize(1);

    nowNanos += Duration.ofSeconds(1).toNanos();
    outages.unavailable(TIMEOUT);

    assertThat(counts.outages).containsExactly(TIMEOUT, TIMEOUT);
  }
}
