package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.TokenBucket;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SlotRequestTest {
  private static final TokenBucket LIMIT = Limit.perSecond(1).burst(5);
  private static final Decision ALLOWED = Decision.allow("x", LIMIT, 4_000, 0, 0);
  private static final Decision DENIED = Decision.deny("x", LIMIT, 0, 0, 1);

  private final LimitCodec codec = new TokenBucketCodec("x", LIMIT, List.of());
  private final RedisClaim first = new RedisClaim(null, codec, "a", "a", 1_000, 0);
  private final RedisClaim second = new RedisClaim(null, codec, "b", "b", 1_000, 0);

  private final Receipt ofFirst = new Receipt(first, 1, 2, 0);
  private final Receipt ofSecond = new Receipt(second, 1, 3, 0);

  private SlotRequest newSlotRequest(Operation operation) {
    return new SlotRequest(operation, List.of(first, second), 0, new CompletableFuture<>());
  }

  private SlotRequest answered(Operation operation, Decision... results) {
    SlotRequest slotRequest = newSlotRequest(operation);
    slotRequest.setReceipts(List.of(ofFirst, ofSecond));
    slotRequest.markSent();
    slotRequest.completeWithReply(Decision.all(results));
    return slotRequest;
  }

  @Test
  void taken_isWhatRedisGranted() {
    assertThat(answered(Operation.TAKE, ALLOWED, ALLOWED).taken())
        .containsExactly(ofFirst, ofSecond);
    assertThat(answered(Operation.TAKE, ALLOWED, DENIED).taken()).isEmpty();
    assertThat(answered(Operation.PEEK, ALLOWED, ALLOWED).taken()).isEmpty();
  }

  @Test
  void taken_partlyByAFailurePolicy_isTheRest() {
    assertThat(
            answered(Operation.TAKE, ALLOWED.asDegraded(Reason.STORE_UNAVAILABLE), ALLOWED).taken())
        .containsExactly(ofSecond);
  }

  @Test
  void taken_lost_isNothing() {
    SlotRequest slotRequest = newSlotRequest(Operation.TAKE);
    slotRequest.lose(Degradation.AMBIGUOUS);
    assertThat(slotRequest.taken()).isEmpty();
  }
}
