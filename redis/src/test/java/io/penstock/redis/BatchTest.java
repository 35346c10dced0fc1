package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchTest {
  private final LimitCodec codec =
      new TokenBucketCodec("x", Limit.perSecond(1).burst(5), List.of());

  private PendingRequest take(long deadlineNanos, String... keys) {
    List<RedisClaim> claims = new ArrayList<>();
    for (String key : keys) {
      claims.add(new RedisClaim(null, codec, key, key, 1_000, 0));
    }
    return new PendingRequest(Operation.TAKE, claims, deadlineNanos);
  }

  @Test
  void numbers_ofEqualRequestsAtAnyTime_areTheSame() {
    byte[] now = new Batch(List.of(take(1, "a", "b"), take(2, "a"))).numbers().toBytes();
    byte[] later =
        new Batch(List.of(take(1L << 40, "a", "b"), take(1L << 50, "a"))).numbers().toBytes();
    assertThat(later).as("the clock of this machine is not sent").isEqualTo(now);
  }

  @Test
  void groups_equalRequests_areMergedUnlessAnotherIsInBetween() {
    int alone = size(take(0, "a"));
    assertThat(size(take(0, "a"), take(0, "a"), take(0, "a"))).isEqualTo(alone);
    assertThat(size(take(0, "a"), take(0, "b"), take(0, "a")))
        .as("another bucket doesn't matter")
        .isEqualTo(size(take(0, "a"), take(0, "b")));
    assertThat(size(take(0, "a"), take(0, "a", "b"), take(0, "a")))
        .as("one that shares a bucket does")
        .isGreaterThan(size(take(0, "a"), take(0, "a", "b")));
    assertThat(size(take(0, "a", "b"), take(0, "b"), take(0, "a", "b")))
        .isGreaterThan(size(take(0, "a", "b"), take(0, "b")));
  }

  private static int size(PendingRequest... requests) {
    return new Batch(List.of(requests)).numbers().toBytes().length;
  }
}
