package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.TokenBucket;
import io.penstock.redis.PendingRequest.RequestKind;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotRequestTest {
  private static final TokenBucket LIMIT = Limit.perSecond(1).burst(5);
  private static final Decision ALLOWED = Decision.allowed("x", LIMIT, 4_000, 0, 0);
  private static final Decision DENIED = Decision.denied("x", LIMIT, 0, 0, 1);

  private final LimitCodec codec = new TokenBucketCodec("x", LIMIT, List.of());
  private final BucketRequest first = new BucketRequest(null, codec, "a", "a", 1_000, 0);
  private final BucketRequest second = new BucketRequest(null, codec, "b", "b", 1_000, 0);

  private final Charge ofFirst = new Charge(first, 1, 2, 0);
  private final Charge ofSecond = new Charge(second, 1, 3, 0);

  private SlotRequest answered(RequestKind kind, Decision... parts) {
    SlotRequest slotRequest = new SlotRequest(kind, List.of(first, second), 0);
    slotRequest.setCharges(List.of(ofFirst, ofSecond));
    slotRequest.send();
    slotRequest.answer(Decision.all(parts));
    return slotRequest;
  }

  @Test
  void taken_isWhatRedisGranted() {
    assertThat(answered(RequestKind.TAKE, ALLOWED, ALLOWED).taken())
        .containsExactly(ofFirst, ofSecond);
    assertThat(answered(RequestKind.TAKE, ALLOWED, DENIED).taken()).isEmpty();
    assertThat(answered(RequestKind.PREVIEW, ALLOWED, ALLOWED).taken()).isEmpty();
  }

  @Test
  void taken_partlyByAFailurePolicy_isTheRest() {
    assertThat(answered(RequestKind.TAKE, ALLOWED.asDegraded(), ALLOWED).taken())
        .containsExactly(ofSecond);
  }

  @Test
  void taken_lost_isNothing() {
    SlotRequest slotRequest = new SlotRequest(RequestKind.TAKE, List.of(first, second), 0);
    slotRequest.lose(Degradation.AMBIGUOUS);
    assertThat(slotRequest.taken()).isEmpty();
  }
}
