package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** P8: an exception while a request is decided reaches its caller, and affects no other. */
class UndecidableTest {
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final LimitCodec codec =
      new TokenBucketCodec("x", Limit.perSecond(1).burst(5), List.of());
  private final RedisClaim claim = new RedisClaim(null, codec, "a", "a", 1_000, 0);

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private PendingRequest good() {
    return new PendingRequest(Operation.TAKE, List.of(claim), System.nanoTime());
  }

  /** A request that can't be encoded. */
  private static PendingRequest bad() {
    return new PendingRequest(Operation.TAKE, List.of(), System.nanoTime());
  }

  private static final class OneRoute implements Route {
    private final List<Batch> calls = new ArrayList<>();

    @Override
    public boolean isAvailable() {
      return true;
    }

    @Override
    public Server server() {
      return null;
    }

    @Override
    public CompletionStage<long[]> call(Batch batch) {
      calls.add(batch);
      return CompletableFuture.completedFuture(new long[] {0, 1, 0, 0, 1});
    }

    @Override
    public boolean isRetryable(Throwable failure) {
      throw new IllegalStateException("broken");
    }
  }

  /** Behaves like the store. */
  private static final class Answers implements CallBatcher.Callbacks {
    @Override
    public List<PendingRequest> preceding(PendingRequest request) {
      return List.of();
    }

    @Override
    public void replied(Batch batch, long[] replies, long sentNanos) {
      batch.complete(replies, new LateGrants());
    }

    @Override
    public void failed(List<PendingRequest> requests, Throwable cause) {
      throw new IllegalStateException("broken", cause);
    }

    @Override
    public void aborted(List<PendingRequest> requests, RuntimeException cause) {
      requests.forEach(request -> request.fail(cause));
    }

    @Override
    public void keysSplit(PendingRequest request) {}

    @Override
    public void slotsRejected(List<PendingRequest> requests) {}
  }

  @Test
  void batcher_requestThatCantBeSent_failsAndOthersContinue() {
    OneRoute route = new OneRoute();
    CallBatcher calls = new CallBatcher(route, new Answers(), batch -> {}, timer);
    PendingRequest bad = bad();
    calls.submit(bad);
    assertThat(bad.decision()).isCompletedExceptionally();
    PendingRequest good = good();
    calls.submit(good);
    assertThat(good.decision()).isCompleted();
    assertThat(route.calls).hasSize(1);
  }

  @Test
  void batcher_failureThatCantBeHandled_failsAndOthersContinue() {
    OneRoute route = new OneRoute();
    CallBatcher calls =
        new CallBatcher(
            route,
            new Answers(),
            batch -> {
              if (route.calls.isEmpty()) {
                route.calls.add(batch);
                throw new IllegalArgumentException("once");
              }
            },
            timer);
    PendingRequest first = good();
    calls.submit(first);
    assertThat(first.decision()).isCompletedExceptionally();
    PendingRequest second = good();
    calls.submit(second);
    assertThat(second.decision()).isCompleted();
  }

  @Test
  void deadlines_timeoutHandlerThrows_failsTheRequestAndContinues() {
    Deadlines deadlines =
        new Deadlines(
            timer,
            request -> {
              if (request.claims().isEmpty()) {
                throw new IllegalStateException("broken");
              }
              request.fail(new IllegalStateException("given up"));
            });
    PendingRequest bad = bad();
    PendingRequest good = good();
    deadlines.watch(bad);
    await("failed").until(() -> bad.decision().isCompletedExceptionally());
    deadlines.watch(good);
    await("given up").until(() -> good.decision().isCompletedExceptionally());
  }

  @Test
  void multiSlotRequest_thatCantBeDecided_fails() {
    PendingRequest request = good();
    RedisClaim other = new RedisClaim(null, codec, "b", "b", 1_000, 0);
    MultiSlotRequest.SlotDispatch dispatch =
        new MultiSlotRequest.SlotDispatch() {
          @Override
          public void send(SlotRequest slotRequest) {
            slotRequest.lose(Degradation.FAILED);
          }

          @Override
          public void giveUp(SlotRequest slotRequest) {}

          @Override
          public Decision decide(Operation operation, List<RedisClaim> claims, Degradation why) {
            throw new IllegalStateException("broken");
          }

          @Override
          public void giveBack(List<Receipt> taken) {}

          @Override
          public void denied(List<RedisClaim> claims, Decision denial, long startNanos) {}
        };
    new MultiSlotRequest(request, List.of(List.of(claim), List.of(other)), dispatch).start();
    assertThat(request.decision()).isCompletedExceptionally();
  }
}
