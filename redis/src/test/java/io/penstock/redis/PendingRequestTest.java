package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PendingRequestTest {
  private static final long MILLI = 1_000_000;

  private static PendingRequest until(long deadlineNanos) {
    return new PendingRequest(Operation.TAKE, List.of(), deadlineNanos);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 100, Long.MAX_VALUE - MILLI})
  void isOverdue_noticedInTime_givesUpAtTheDeadline(long deadline) {
    PendingRequest request = until(deadline);
    assertThat(request.isOverdue(deadline - 1)).isFalse();
    assertThat(request.isOverdue(deadline)).isTrue();
    assertThat(request.isStarved(deadline)).isFalse();
    assertThat(until(deadline).isOverdue(deadline + 5 * MILLI)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 100, Long.MAX_VALUE - MILLI})
  void isOverdue_noticedLate_givesUpAfterOneGracePeriod(long deadline) {
    PendingRequest request = until(deadline);
    long noticed = deadline + 6 * MILLI;
    assertThat(request.isOverdue(noticed)).isFalse();
    assertThat(request.giveUpNanos()).isEqualTo(noticed + 5 * MILLI);
    assertThat(request.isOverdue(noticed + 5 * MILLI - 1)).isFalse();
    assertThat(request.isOverdue(noticed + 5 * MILLI)).isTrue();
    assertThat(request.isOverdue(noticed + 60 * MILLI)).isTrue();
    assertThat(request.isStarved(noticed + 5 * MILLI)).isTrue();
  }

  @Test
  void giveUp_duringTheGracePeriod_dependsOnWhetherItWasSent() {
    PendingRequest request = until(0);
    assertThat(request.isOverdue(6 * MILLI)).isFalse();
    assertThat(request.markSent()).isTrue();
    assertThat(request.giveUp()).isEqualTo(PendingRequest.Loss.AMBIGUOUS);
  }
}
