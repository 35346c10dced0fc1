package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.penstock.Decision;
import io.penstock.Store;
import io.penstock.StoreException;
import io.penstock.redis.PendingRequest.Loss;
import io.penstock.redis.PendingRequest.RequestKind;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Brings what is asked to the servers, and sees to it that each has an answer by its deadline: from
 * Redis, from a denial that still holds, or by the failure policy. Thread-safe.
 */
final class Dispatcher {
  /** For so long a give-back follows its bucket around in a cluster. */
  private static final long GIVE_BACK_NANOS = 1_000_000_000;

  private final RedisObserver observer;
  private final ScheduledThreadPoolExecutor timer;
  private final Topology topology;
  private final Deadlines deadlines;
  private final CallerWait waiting;
  private final Fallback fallback;
  private final @Nullable DenialMemory denials;
  private final Leasing leasing;
  private final Spanning spanning = new Spanning();

  /**
   * @param local where this node decides by itself
   */
  Dispatcher(RedisStoreBuilder settings, Function<StoreAssembler, Topology> topology, Store local) {
    this.denials = settings.denialMemory() ? new DenialMemory(settings.denialClock()) : null;
    this.observer = new GuardedObserver(settings.observer());
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Dispatcher::daemon, new ThreadPoolExecutor.DiscardPolicy());
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.topology =
        topology.apply(new StoreAssembler(settings, observer, timer, new CallReplies()));
    this.deadlines = new Deadlines(timer, this::overdue);
    this.waiting = new CallerWait(this.topology::requestsUnderWay, this::overdue);
    this.fallback = new Fallback(local, observer);
    this.leasing = new Leasing(timer, this::submit, this::forgetDenials, observer);
    this.topology.begin(settings.startTimeout());
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "penstock-redis");
    thread.setDaemon(true);
    return thread;
  }

  boolean isAvailable() {
    return topology.isAvailable();
  }

  String unavailableReason() {
    return topology.unavailableReason();
  }

  /** What this node takes of buckets in advance. */
  Leasing leasing() {
    return leasing;
  }

  /** Asks, and waits for the answer: for no longer than its deadline, so even if interrupted. */
  Decision await(PendingRequest ask) {
    return waiting.await(ask, start(ask));
  }

  /** Asks, and answers later. */
  CompletionStage<Decision> later(PendingRequest ask) {
    try {
      CompletableFuture<Decision> answer = start(ask);
      if (!answer.isDone()) {
        deadlines.watch(ask);
      }
      return answer;
    } catch (RuntimeException failure) {
      ask.fail(failure);
      return ask.answer();
    }
  }

  /** Does something that has no decision for an answer. */
  CompletionStage<Void> change(PendingRequest ask) {
    return later(ask)
        .thenCompose(
            done -> {
              forgetDenials(ask);
              return done.degraded()
                  ? CompletableFuture.failedFuture(
                      new StoreException("Redis can't be asked: " + ask.what(), null))
                  : CompletableFuture.completedFuture(null);
            });
  }

  /** Of the buckets of a change, once it is done: until then, denials may still come in. */
  private void forgetDenials(PendingRequest change) {
    change.parts().forEach(this::forgetDenials);
  }

  private void forgetDenials(BucketRequest part) {
    if (denials != null) {
      denials.forget(part.redisKey());
    }
  }

  private CompletableFuture<Decision> start(PendingRequest ask) {
    Decision known =
        denials != null && ask.what() == RequestKind.TAKE ? denials.recall(ask.parts()) : null;
    if (known != null) {
      observer.remembered(known.limiter());
      return CompletableFuture.completedFuture(known);
    }
    List<List<BucketRequest>> ways = topology.together(ask.parts());
    if (ways.size() == 1) {
      submit(ask);
    } else {
      span(ask, ways);
    }
    return ask.answer();
  }

  /** What the buckets of a request should have on lease, to be asked for in the same call. */
  private static List<LeaseRequest> wishes(PendingRequest ask) {
    List<LeaseRequest> wishes = List.of();
    if (ask.what() == RequestKind.TAKE) {
      for (BucketRequest part : ask.parts()) {
        Leases leases = part.buckets().leases();
        LeaseRequest wish = leases == null ? null : leases.wish(part);
        if (wish != null) {
          wishes = wishes.isEmpty() ? new ArrayList<>() : wishes;
          wishes.add(wish);
        }
      }
    }
    return wishes;
  }

  private void submit(PendingRequest ask) {
    CallBatcher calls = topology.calls(ask.parts().get(0));
    if (calls.route().isOpen()) {
      calls.submit(ask, wishes(ask));
    } else {
      giveUp(ask, Degradation.UNAVAILABLE);
    }
  }

  private void span(PendingRequest ask, List<List<BucketRequest>> ways) {
    MultiSlotRequest span = new MultiSlotRequest(ask, ways, spanning);
    ask.becomes(span);
    span.begin();
  }

  private void overdue(PendingRequest ask) {
    MultiSlotRequest span = ask.span();
    if (span != null) {
      span.overdue();
      return;
    }
    Server server = topology.calls(ask.parts().get(0)).route().server();
    if (server != null) {
      server.overdue();
    }
    giveUp(ask, Degradation.FAILED);
  }

  private void giveUp(PendingRequest ask, Degradation why) {
    Loss loss = ask.giveUp();
    if (loss == Loss.NONE) {
      return;
    }
    Degradation degradation = loss == Loss.AMBIGUOUS ? Degradation.AMBIGUOUS : why;
    if (ask instanceof SlotRequest leg) {
      leg.lose(degradation);
      return;
    }
    try {
      ask.answer().complete(fallback.decide(ask.what(), ask.parts(), degradation));
    } catch (RuntimeException failure) {
      ask.answer().completeExceptionally(failure);
    }
  }

  /** How requests over several slots are asked for. */
  private final class Spanning implements MultiSlotRequest.SpanOperations {
    @Override
    public void ask(SlotRequest leg) {
      submit(leg);
    }

    @Override
    public void giveUp(SlotRequest leg) {
      overdue(leg);
    }

    @Override
    public Decision decide(RequestKind what, List<BucketRequest> parts, Degradation why) {
      return fallback.decide(what, parts, why);
    }

    @Override
    public void giveBack(List<Charge> taken) {
      taken.forEach(Dispatcher.this::giveBack);
    }

    @Override
    public void denied(List<BucketRequest> parts, Decision denial, long startNanos) {
      Dispatcher.this.denied(parts, denial, System.nanoTime() - startNanos);
    }
  }

  /** What comes back from Redis, or doesn't. */
  private final class CallReplies implements CallBatcher.Callbacks {
    @Override
    public void answered(Batch batch, long[] replies, long sentNanos) {
      long passed = System.nanoTime() - sentNanos;
      observer.called(batch.size(), passed);
      if (replies[0] > 0) {
        observer.repaired(replies[0]);
      }
      batch
          .answer(replies, (parts, denial) -> denied(parts, denial, passed))
          .forEach(Dispatcher.this::giveBack);
      leasing.noteCrowds(batch);
    }

    @Override
    public void failed(List<PendingRequest> asks, Throwable cause) {
      observer.failed(asks.size(), cause);
      boolean refused = cause instanceof RedisCommandExecutionException;
      boolean unsent = cause instanceof ServerConnection.NotSent;
      for (PendingRequest ask : asks) {
        if (refused || unsent) {
          ask.refused();
        }
        giveUp(ask, Degradation.FAILED);
      }
    }

    @Override
    public void broken(List<PendingRequest> asks, RuntimeException cause) {
      observer.failed(asks.size(), cause);
      asks.forEach(ask -> ask.fail(cause));
    }

    @Override
    public void cameApart(PendingRequest ask) {
      span(ask, ask.parts().stream().map(List::of).toList());
    }
  }

  private void denied(List<BucketRequest> parts, Decision denial, long passedNanos) {
    if (denials != null) {
      denials.note(parts, denial, denials.now() - passedNanos);
    }
  }

  /**
   * Returns what a request was charged whose answer came too late, or that was denied elsewhere.
   * The answer did come, so Redis is asked even if it is still believed to be away.
   */
  private void giveBack(Charge charge) {
    PendingRequest refund = new ChargeReturn(charge, System.nanoTime() + GIVE_BACK_NANOS);
    var unused = refund.answer().thenAccept(done -> givenBack(refund, done));
    topology.calls(charge.part()).submit(refund);
  }

  private void givenBack(PendingRequest refund, Decision done) {
    forgetDenials(refund);
    if (!done.degraded()) {
      observer.givenBack(refund.parts().get(0).buckets().name());
    }
  }

  /**
   * Ends it; who still waits is answered.
   *
   * @param mostNanos how long to wait until Redis has what was not used
   */
  void close(long mostNanos) {
    leasing.close(mostNanos);
    timer.shutdown();
    deadlines.giveUpAll();
    topology.close();
  }
}
