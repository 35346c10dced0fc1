package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.Lease.LeaseAction;
import io.penstock.redis.Lease.LeaseCall;
import io.penstock.redis.Lease.LeaseReply;
import io.penstock.redis.Lease.Reservation;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseTest {
  private static final long MAX_TOKENS = 1_000_000;

  private final AtomicLong now = new AtomicLong(5);
  private final AtomicLong numbers = new AtomicLong();
  private final Lease lease = new Lease(now::get, numbers::incrementAndGet, MAX_TOKENS);

  private void pass(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private LeaseCall call(long request) {
    return Objects.requireNonNull(lease.call(request));
  }

  /** Replies like a store that grants what is requested and keeps what is kept. */
  private void grant(LeaseCall call) {
    long outstanding = call.keep() + call.want();
    assertThat(lease.answered(call, new LeaseReply(call.want(), call.keep(), outstanding, 0, 0)))
        .isTrue();
  }

  @Test
  void take_untilExpiry_takesWhatIsAvailable() {
    assertThat(lease.take(1_000)).isNull();
    grant(call(1_000));
    long granted = lease.left();
    assertThat(granted).isEqualTo(4_000);
    assertThat(lease.take(1_000)).isNotNull();
    assertThat(lease.take(3_001)).isNull();
    pass(999);
    assertThat(lease.take(1_000)).isNotNull();
    pass(1);
    assertThat(lease.take(1_000)).as("over").isNull();
    assertThat(lease.left()).isZero();
  }

  @Test
  void take_lateResponse_lifetimeCountsFromBeforeTheCall() {
    LeaseCall call = call(1_000);
    pass(600);
    grant(call);
    pass(399);
    assertThat(lease.take(1_000)).isNotNull();
    pass(1);
    assertThat(lease.take(1_000)).isNull();
  }

  @Test
  void call_whileOneIsInFlight_isNull() {
    LeaseCall call = call(1_000);
    assertThat(lease.call(1_000)).isNull();
    lease.lost(call);
    assertThat(call(1_000).number()).isEqualTo(2);
  }

  @Test
  void call_whenMoreIsNeeded_keepsWhatItHolds() {
    grant(call(1_000));
    lease.take(3_000);
    pass(10);
    LeaseCall call = call(0);
    assertThat(call.keep()).isEqualTo(1_000);
    assertThat(call.back()).isZero();
    lease.take(1_000);
    grant(call);
    assertThat(lease.left()).as("spent meanwhile").isEqualTo(call.want());
  }

  @Test
  void call_demandGrows_requestsGraduallyMore() {
    long before = 0;
    for (int i = 0; i < 20; i++) {
      LeaseCall call = call(1_000);
      assertThat(call.keep() + call.want()).isBetween(before / 2, Math.max(4_000, 4 * before));
      before = call.keep() + call.want();
      grant(call);
      while (lease.take(1_000) != null) {
        // Everything is spent immediately.
      }
      pass(1);
    }
    assertThat(before).as("up to the maximum").isEqualTo(MAX_TOKENS);
  }

  @Test
  void call_demandFalls_returnsTheSurplus() {
    call_demandGrows_requestsGraduallyMore();
    lease.lost(call(1_000));
    grant(call(1_000));
    for (int i = 0; i < 20; i++) {
      pass(400);
      lease.take(1_000);
      LeaseCall call = call(0);
      assertThat(call.keep()).isPositive();
      grant(call);
    }
    assertThat(lease.left()).isLessThanOrEqualTo(10_000);
  }

  @Test
  void call_lessThanARequestNeeds_isReturnedAndRequestedAgain() {
    LeaseCall first = call(1_000);
    lease.answered(first, new LeaseReply(956, 0, 956, 0, 0));
    LeaseCall call = call(1_000);
    assertThat(call.back()).isEqualTo(956);
    assertThat(call.want()).isGreaterThanOrEqualTo(1_000);
    grant(call);
    assertThat(lease.take(1_000)).isNotNull();
  }

  @Test
  void call_afterExpiry_returnsEverything() {
    grant(call(1_000));
    pass(1_001);
    LeaseCall call = call(1_000);
    assertThat(call.keep()).isZero();
    assertThat(call.back()).isEqualTo(4_000);
    assertThat(call.expired()).isTrue();
  }

  @Test
  void answered_notKept_dropsWhatItHeld() {
    grant(call(1_000));
    lease.take(1_000);
    Reservation reservation = Objects.requireNonNull(lease.reserve(1_000));
    LeaseCall call = call(0);
    assertThat(call.keep()).as("includes reserved tokens").isEqualTo(3_000);
    lease.answered(call, new LeaseReply(2_000, 0, 2_000, 0, 0));
    assertThat(lease.left()).isEqualTo(2_000);
    reservation.release();
    assertThat(lease.left()).as("belonged to the dropped grant").isEqualTo(2_000);
  }

  @Test
  void putBack_afterARenewal_isAvailableAgain() {
    grant(call(1_000));
    Reservation reservation = Objects.requireNonNull(lease.reserve(1_000));
    LeaseCall call = call(0);
    grant(call);
    long before = lease.left();
    reservation.release();
    assertThat(lease.left()).isEqualTo(before + 1_000);
  }

  @Test
  void putBack_afterExpiry_isIgnored() {
    grant(call(1_000));
    Reservation reservation = Objects.requireNonNull(lease.reserve(1_000));
    pass(1_001);
    grant(call(1_000));
    long before = lease.left();
    reservation.release();
    assertThat(lease.left()).isEqualTo(before);
  }

  @Test
  void lost_changesNothing() {
    grant(call(1_000));
    pass(500);
    LeaseCall call = call(0);
    lease.lost(call);
    assertThat(lease.left()).isEqualTo(4_000);
    pass(500);
    assertThat(lease.left()).as("not extended").isZero();
  }

  @Test
  void answered_afterALaterCall_isRejected() {
    LeaseCall call = call(1_000);
    assertThat(lease.answered(call, new LeaseReply(-1, 0, 0, 0, 0))).isFalse();
    assertThat(lease.left()).isZero();
    assertThat(lease.isCalling()).isFalse();
  }

  @Test
  void end_givesEverythingBackOnce() {
    grant(call(1_000));
    lease.end();
    LeaseCall last = call(0);
    assertThat(last.back()).isEqualTo(4_000);
    assertThat(last.keep()).isZero();
    assertThat(last.want()).isZero();
    assertThat(last.last()).isTrue();
    grant(last);
    assertThat(lease.call(1_000)).isNull();
  }

  @Test
  void check_unusedTwice_shouldEnd() {
    grant(call(1_000));
    assertThat(lease.check(2)).as("new").isEqualTo(LeaseAction.NONE);
    assertThat(lease.check(2)).isEqualTo(LeaseAction.NONE);
    lease.take(1_000);
    assertThat(lease.check(2)).as("used").isEqualTo(LeaseAction.NONE);
    assertThat(lease.check(2)).isEqualTo(LeaseAction.NONE);
    assertThat(lease.check(2)).isEqualTo(LeaseAction.END);
  }

  @Test
  void check_afterHalfItsLifetime_shouldBeRenewed() {
    grant(call(1_000));
    pass(499);
    assertThat(lease.check(2)).isEqualTo(LeaseAction.NONE);
    pass(1);
    lease.take(1_000);
    assertThat(lease.check(2)).isEqualTo(LeaseAction.RENEW);
  }
}
