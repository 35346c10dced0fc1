package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.redis.Ask.What;
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
  private final Terms terms = new BucketTerms("x", Limit.perSecond(1).burst(5), List.of());
  private final Part part = new Part(null, terms, "a", "a", 1_000, 0);

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  private Ask good() {
    return new Ask(What.TAKE, List.of(part), System.nanoTime());
  }

  /** One that nobody can make a call of. */
  private static Ask bad() {
    return new Ask(What.TAKE, List.of(), System.nanoTime());
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
  private static final class Answers implements Calls.Callbacks {
    @Override
    public void answered(Batch batch, long[] replies, long sentNanos) {
      batch.answer(replies, (parts, denial) -> {});
    }

    @Override
    public void failed(List<Ask> asks, Throwable cause) {
      throw new IllegalStateException("broken", cause);
    }

    @Override
    public void broken(List<Ask> asks, RuntimeException cause) {
      asks.forEach(ask -> ask.fail(cause));
    }

    @Override
    public void cameApart(Ask ask) {}
  }

  @Test
  void calls_withARequestThatCantBeSent_failItAndGoOn() {
    OneRoute route = new OneRoute();
    Calls calls = new Calls(route, new Answers(), batch -> {}, timer);
    Ask bad = bad();
    calls.submit(bad);
    assertThat(bad.answer()).isCompletedExceptionally();
    Ask good = good();
    calls.submit(good);
    assertThat(good.answer()).isCompleted();
    assertThat(route.calls).hasSize(1);
  }

  @Test
  void calls_whoseFailureCantBeDealtWith_failAndGoOn() {
    OneRoute route = new OneRoute();
    Calls calls =
        new Calls(
            route,
            new Answers(),
            batch -> {
              if (route.calls.isEmpty()) {
                route.calls.add(batch);
                throw new IllegalArgumentException("once");
              }
            },
            timer);
    Ask first = good();
    calls.submit(first);
    assertThat(first.answer()).isCompletedExceptionally();
    Ask second = good();
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
    Ask bad = bad();
    Ask good = good();
    deadlines.watch(bad);
    Await.until("failed", () -> bad.answer().isCompletedExceptionally());
    deadlines.watch(good);
    Await.until("given up", () -> good.answer().isCompletedExceptionally());
  }

  @Test
  void span_thatCantBeDecided_fails() {
    Ask whole = good();
    Part other = new Part(null, terms, "b", "b", 1_000, 0);
    Span.Hands hands =
        new Span.Hands() {
          @Override
          public void ask(Leg leg) {
            leg.lose(Degradation.FAILED);
          }

          @Override
          public void giveUp(Leg leg) {}

          @Override
          public Decision decide(What what, List<Part> parts, Degradation why) {
            throw new IllegalStateException("broken");
          }

          @Override
          public void giveBack(List<Charge> taken) {}

          @Override
          public void denied(List<Part> parts, Decision denial, long startNanos) {}
        };
    new Span(whole, List.of(List.of(part), List.of(other)), hands).begin();
    assertThat(whole.answer()).isCompletedExceptionally();
  }
}
