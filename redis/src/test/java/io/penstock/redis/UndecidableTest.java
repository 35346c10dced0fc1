package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.redis.PendingRequest.RequestKind;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** P8: whatever goes wrong while a request is decided reaches its caller, and no other. */
class UndecidableTest {
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);
  private final LimitCodec codec =
      new TokenBucketCodec("x", Limit.perSecond(1).burst(5), List.of());
  private final BucketRequest part = new BucketRequest(null, codec, "a", "a", 1_000, 0);

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private PendingRequest good() {
    return new PendingRequest(RequestKind.TAKE, List.of(part), System.nanoTime());
  }

  /** One that nobody can make a call of. */
  private static PendingRequest bad() {
    return new PendingRequest(RequestKind.TAKE, List.of(), System.nanoTime());
  }

  private static final class OneRoute implements Route {
    private final List<Batch> calls = new ArrayList<>();

    @Override
    public boolean isOpen() {
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
    public boolean mayPassLater(Throwable failure) {
      throw new IllegalStateException("broken");
    }
  }

  /** As the store does it. */
  private static final class Answers implements CallBatcher.Callbacks {
    @Override
    public void answered(Batch batch, long[] replies, long sentNanos) {
      batch.answer(replies, (parts, denial) -> {});
    }

    @Override
    public void failed(List<PendingRequest> asks, Throwable cause) {
      throw new IllegalStateException("broken", cause);
    }

    @Override
    public void broken(List<PendingRequest> asks, RuntimeException cause) {
      asks.forEach(ask -> ask.fail(cause));
    }

    @Override
    public void cameApart(PendingRequest ask) {}
  }

  @Test
  void calls_withARequestThatCantBeSent_failItAndGoOn() {
    OneRoute route = new OneRoute();
    CallBatcher calls = new CallBatcher(route, new Answers(), batch -> {}, timer);
    PendingRequest bad = bad();
    calls.submit(bad);
    assertThat(bad.answer()).isCompletedExceptionally();
    PendingRequest good = good();
    calls.submit(good);
    assertThat(good.answer()).isCompleted();
    assertThat(route.calls).hasSize(1);
  }

  @Test
  void calls_whoseFailureCantBeDealtWith_failAndGoOn() {
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
    assertThat(first.answer()).isCompletedExceptionally();
    PendingRequest second = good();
    calls.submit(second);
    assertThat(second.answer()).isCompleted();
  }

  @Test
  void deadlines_thatCantGiveUpOne_failItAndGiveUpTheNext() {
    Deadlines deadlines =
        new Deadlines(
            timer,
            ask -> {
              if (ask.parts().isEmpty()) {
                throw new IllegalStateException("broken");
              }
              ask.fail(new IllegalStateException("given up"));
            });
    PendingRequest bad = bad();
    PendingRequest good = good();
    deadlines.watch(bad);
    Await.until("failed", () -> bad.answer().isCompletedExceptionally());
    deadlines.watch(good);
    Await.until("given up", () -> good.answer().isCompletedExceptionally());
  }

  @Test
  void span_thatCantBeDecided_fails() {
    PendingRequest whole = good();
    BucketRequest other = new BucketRequest(null, codec, "b", "b", 1_000, 0);
    MultiSlotRequest.SpanOperations hands =
        new MultiSlotRequest.SpanOperations() {
          @Override
          public void ask(SlotRequest leg) {
            leg.lose(Degradation.FAILED);
          }

          @Override
          public void giveUp(SlotRequest leg) {}

          @Override
          public Decision decide(RequestKind what, List<BucketRequest> parts, Degradation why) {
            throw new IllegalStateException("broken");
          }

          @Override
          public void giveBack(List<Charge> taken) {}

          @Override
          public void denied(List<BucketRequest> parts, Decision denial, long startNanos) {}
        };
    new MultiSlotRequest(whole, List.of(List.of(part), List.of(other)), hands).begin();
    assertThat(whole.answer()).isCompletedExceptionally();
  }
}
