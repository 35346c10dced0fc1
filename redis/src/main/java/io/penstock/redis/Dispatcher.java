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
 * Sends requests to the servers, and makes sure that each is completed by its deadline: by Redis,
 * by a cached denial, or by the failure policy. Thread-safe.
 */
final class Dispatcher {
  /** How long giving back is retried while a slot is migrating in a cluster. */
  private static final long GIVE_BACK_NANOS = 1_000_000_000;

  private final RedisObserver observer;
  private final ScheduledThreadPoolExecutor timer;
  private final Topology topology;
  private final Deadlines deadlines;
  private final CallerWait waiting;
  private final Fallback fallback;
  private final @Nullable DenialMemory denials;
  private final Leasing leasing;
  private final SplitOperations splitOperations = new SplitOperations();

  /**
   * @param local the in-process store for the failure policy {@code LOCAL}
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
    this.deadlines = new Deadlines(timer, this::timeOut);
    this.waiting = new CallerWait(this.topology::requestsInFlight, this::timeOut);
    this.fallback = new Fallback(local, observer);
    this.leasing = new Leasing(timer, this::submit, this::forgetDenials, observer);
    this.topology.start(settings.startTimeout());
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

  /** The leases of this node. */
  Leasing leasing() {
    return leasing;
  }

  /** Executes a request and blocks until its deadline at most, even if interrupted. */
  Decision await(PendingRequest request) {
    return waiting.await(request, start(request));
  }

  /** Executes a request without blocking. */
  CompletionStage<Decision> executeAsync(PendingRequest request) {
    try {
      CompletableFuture<Decision> answer = start(request);
      if (!answer.isDone()) {
        deadlines.watch(request);
      }
      return answer;
    } catch (RuntimeException failure) {
      request.fail(failure);
      return request.answer();
    }
  }

  /** Executes a request that doesn't return a decision. */
  CompletionStage<Void> change(PendingRequest request) {
    return executeAsync(request)
        .thenCompose(
            done -> {
              forgetDenials(request);
              return done.degraded()
                  ? CompletableFuture.failedFuture(
                      new StoreException(request.kind() + " failed: Redis is unavailable", null))
                  : CompletableFuture.completedFuture(null);
            });
  }

  /** Called after a change is complete, because denials may still arrive until then. */
  private void forgetDenials(PendingRequest change) {
    change.parts().forEach(this::forgetDenials);
  }

  private void forgetDenials(BucketRequest part) {
    if (denials != null) {
      denials.forget(part.redisKey());
    }
  }

  private CompletableFuture<Decision> start(PendingRequest request) {
    Decision cached =
        denials != null && request.kind() == RequestKind.TAKE
            ? denials.find(request.parts())
            : null;
    if (cached != null) {
      observer.remembered(cached.limiter());
      return CompletableFuture.completedFuture(cached);
    }
    List<List<BucketRequest>> groups = topology.groupByCall(request.parts());
    if (groups.size() == 1) {
      submit(request);
    } else {
      split(request, groups);
    }
    return request.answer();
  }

  /** The lease requests that should go into the same call as a request. */
  private static List<LeaseRequest> leaseRequests(PendingRequest request) {
    List<LeaseRequest> leaseRequests = List.of();
    if (request.kind() == RequestKind.TAKE) {
      for (BucketRequest part : request.parts()) {
        Leases leases = part.buckets().leases();
        LeaseRequest lease = leases == null ? null : leases.leaseRequestFor(part);
        if (lease != null) {
          leaseRequests = leaseRequests.isEmpty() ? new ArrayList<>() : leaseRequests;
          leaseRequests.add(lease);
        }
      }
    }
    return leaseRequests;
  }

  private void submit(PendingRequest request) {
    CallBatcher calls = topology.calls(request.parts().get(0));
    if (calls.route().isOpen()) {
      calls.submit(request, leaseRequests(request));
    } else {
      giveUp(request, Degradation.UNAVAILABLE);
    }
  }

  private void split(PendingRequest request, List<List<BucketRequest>> groups) {
    MultiSlotRequest split = new MultiSlotRequest(request, groups, splitOperations);
    request.splitInto(split);
    split.start();
  }

  private void timeOut(PendingRequest request) {
    MultiSlotRequest split = request.split();
    if (split != null) {
      split.timeOut();
      return;
    }
    Server server = topology.calls(request.parts().get(0)).route().server();
    if (server != null) {
      server.requestTimedOut();
    }
    giveUp(request, Degradation.FAILED);
  }

  private void giveUp(PendingRequest request, Degradation why) {
    Loss loss = request.giveUp();
    if (loss == Loss.NONE) {
      return;
    }
    Degradation degradation = loss == Loss.AMBIGUOUS ? Degradation.AMBIGUOUS : why;
    if (request instanceof SlotRequest slotRequest) {
      slotRequest.lose(degradation);
      return;
    }
    try {
      request.answer().complete(fallback.decide(request.kind(), request.parts(), degradation));
    } catch (RuntimeException failure) {
      request.answer().completeExceptionally(failure);
    }
  }

  /** The operations of requests over several slots. */
  private final class SplitOperations implements MultiSlotRequest.Operations {
    @Override
    public void send(SlotRequest slotRequest) {
      submit(slotRequest);
    }

    @Override
    public void giveUp(SlotRequest slotRequest) {
      timeOut(slotRequest);
    }

    @Override
    public Decision decide(RequestKind kind, List<BucketRequest> parts, Degradation why) {
      return fallback.decide(kind, parts, why);
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

  /** Handles the results of calls. */
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
      leasing.detectHotKeys(batch);
    }

    @Override
    public void failed(List<PendingRequest> requests, Throwable cause) {
      observer.failed(requests.size(), cause);
      boolean rejected = cause instanceof RedisCommandExecutionException;
      boolean notSent = cause instanceof ServerConnection.NotSent;
      for (PendingRequest request : requests) {
        if (rejected || notSent) {
          request.rejected();
        }
        giveUp(request, Degradation.FAILED);
      }
    }

    @Override
    public void aborted(List<PendingRequest> requests, RuntimeException cause) {
      observer.failed(requests.size(), cause);
      requests.forEach(request -> request.fail(cause));
    }

    @Override
    public void keysSplit(PendingRequest request) {
      split(request, request.parts().stream().map(List::of).toList());
    }
  }

  private void denied(List<BucketRequest> parts, Decision denial, long passedNanos) {
    if (denials != null) {
      denials.remember(parts, denial, denials.now() - passedNanos);
    }
  }

  /**
   * Gives back a charge whose response was too late, or whose request was denied by another slot.
   * Calls Redis even if it is marked as unavailable, because it did respond.
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
   * Shuts down, and completes all pending requests.
   *
   * @param timeoutNanos how long to wait until unused leases have been returned
   */
  void close(long timeoutNanos) {
    leasing.close(timeoutNanos);
    timer.shutdown();
    deadlines.giveUpAll();
    topology.close();
  }
}
