package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.StoreException;
import io.penstock.redis.PendingRequest.Loss;
import io.penstock.redis.RedisObserver.Degradation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the servers, and makes sure that each is completed by its deadline: by Redis,
 * by a cached denial, or by the failure policy. Thread-safe.
 */
final class Dispatcher {
  /** How long a refund is retried while a slot is migrating in a cluster. */
  private static final long GIVE_BACK_NANOS = 1_000_000_000;

  private final GuardedObserver observer;
  private final ScheduledThreadPoolExecutor timer;
  private final Topology topology;
  private final Deadlines deadlines;
  private final CallerWait waiting;
  private final WindowClock windowClock = new WindowClock();
  private final LocalBuckets local = new LocalBuckets(windowClock);
  private final Fallback fallback;
  private final NodePresence presence;
  private final ServerClock serverClock = new ServerClock();
  private final LocalReports reports = new LocalReports(local, serverClock);
  private final @Nullable DenialMemory denials;
  private final NodeLeases leases;
  private final SplitDispatch splitDispatch = new SplitDispatch();
  private final String address;
  private final Duration deadline;
  private volatile boolean closed;

  /**
   * @param address the address of the server or servers for messages; empty if it is unknown
   */
  Dispatcher(
      RedisStoreBuilder settings, String address, Function<StoreAssembler, Topology> topology) {
    this.address = address;
    this.deadline = settings.deadline();
    this.denials = settings.denialMemory() ? new DenialMemory(settings.denialClock()) : null;
    this.observer = new GuardedObserver(settings.observer());
    observer.connecting(address);
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, Dispatcher::daemon, new ThreadPoolExecutor.DiscardPolicy());
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.topology =
        topology.apply(
            new StoreAssembler(
                settings, observer, timer, new CallReplies(), this::becameAvailable));
    this.deadlines = new Deadlines(timer, this::timeOut);
    this.waiting = new CallerWait(this.topology::estimatedWaitingCallers, this::timeOut);
    this.fallback = new Fallback(local, observer);
    this.presence =
        new NodePresence(
            settings.nodes(), settings.keyPrefix(), this::registerNode, observer, timer);
    this.leases = new NodeLeases(timer, this::submit, this::forgetDenials, observer);
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

  @Nullable RedisOutage outage() {
    return topology.outage();
  }

  GuardedObserver observer() {
    return observer;
  }

  /** Returns a limiter that decides in process while Redis is unavailable. */
  LocalLimiter localLimiter(String name, Limit limit, FailurePolicy policy) {
    IntSupplier divisor = policy == FailurePolicy.LOCAL_SHARE ? presence::count : () -> 1;
    return new LocalLimiter(local, name, limit, divisor);
  }

  /** The number of nodes that limits are divided by. */
  int nodes() {
    return presence.count();
  }

  private void becameAvailable() {
    presence.available();
    local.sweep(timer);
  }

  private CompletionStage<Long> registerNode(String redisKey, String node, long ttlMillis) {
    Server server = topology.serverOf(redisKey);
    return server == null
        ? CompletableFuture.failedFuture(new ServerConnection.NotSent())
        : server.registerNode(redisKey, node, ttlMillis);
  }

  /** Whether this node has granted tokens that Redis doesn't know. */
  boolean hasUnreported() {
    return local.hasUnreported();
  }

  /** The leases of this node. */
  NodeLeases leases() {
    return leases;
  }

  /** Executes a request and blocks until its deadline at most, even if interrupted. */
  Decision await(PendingRequest request) {
    return waiting.await(request, start(request));
  }

  /** Executes a request without blocking. */
  CompletionStage<Decision> executeAsync(PendingRequest request) {
    try {
      CompletableFuture<Decision> decision = start(request);
      if (!decision.isDone()) {
        deadlines.watch(request);
      }
      return decision;
    } catch (RuntimeException failure) {
      request.fail(failure);
      return request.decision();
    }
  }

  /** Executes a request that doesn't return a decision. */
  CompletionStage<Void> change(PendingRequest request) {
    return executeAsync(request)
        .thenCompose(
            done -> {
              forgetDenials(request);
              return done.degraded()
                  ? CompletableFuture.failedFuture(new StoreException(failed(request), null))
                  : CompletableFuture.completedFuture(null);
            });
  }

  private String failed(PendingRequest change) {
    RedisOutage outage = outage();
    String reason =
        outage == null
            ? RedisOutage.redisAt(address)
                + " did not respond within "
                + deadline.toMillis()
                + " ms, or rejected the call"
            : outage.toString();
    return change.operation().name().toLowerCase(Locale.ROOT) + " failed: " + reason;
  }

  /** Called after a change is complete, because denials may still arrive until then. */
  private void forgetDenials(PendingRequest change) {
    change.claims().forEach(this::forgetDenials);
  }

  private void forgetDenials(RedisClaim claim) {
    if (denials != null) {
      denials.forget(claim.redisKey());
    }
  }

  private CompletableFuture<Decision> start(PendingRequest request) {
    if (closed) {
      throw new StoreException("the store is closed", null);
    }
    Decision cached =
        denials != null && request.operation() == Operation.TAKE
            ? denials.find(request.claims())
            : null;
    if (cached != null) {
      observer.deniedFromCache(cached.limiter());
      return CompletableFuture.completedFuture(cached);
    }
    List<List<RedisClaim>> groups = topology.groupByCall(request.claims());
    if (groups.size() == 1) {
      submit(request);
    } else {
      split(request, groups);
    }
    return request.decision();
  }

  /** The lease requests that should go into the same call as a request. */
  private static List<LeaseRequest> leaseRequests(PendingRequest request) {
    List<LeaseRequest> leaseRequests = List.of();
    if (request.operation() == Operation.TAKE) {
      for (RedisClaim claim : request.claims()) {
        LimiterLeases own = claim.buckets().leases();
        LeaseRequest lease = own == null ? null : own.leaseRequestFor(claim);
        if (lease != null) {
          leaseRequests = leaseRequests.isEmpty() ? new ArrayList<>() : leaseRequests;
          leaseRequests.add(lease);
        }
      }
    }
    return leaseRequests;
  }

  private void submit(PendingRequest request) {
    CallBatcher batcher = topology.batcher(request.claims().get(0));
    if (batcher.isAvailable()) {
      batcher.submit(request, leaseRequests(request));
    } else {
      giveUp(request, isStarved() ? Degradation.STARVED : Degradation.UNAVAILABLE);
    }
  }

  /** Whether Redis is considered unavailable only because this process lacked CPU time. */
  private boolean isStarved() {
    RedisOutage outage = topology.outage();
    return outage != null && outage.reason() == UnavailableReason.CPU_STARVED;
  }

  private void split(PendingRequest request, List<List<RedisClaim>> groups) {
    MultiSlotRequest split = new MultiSlotRequest(request, groups, splitDispatch);
    request.splitInto(split);
    split.start();
  }

  private void timeOut(PendingRequest request) {
    MultiSlotRequest split = request.split();
    if (split != null) {
      split.timeOut();
      return;
    }
    boolean starved = request.isStarved(System.nanoTime());
    topology.batcher(request.claims().get(0)).requestTimedOut(starved);
    giveUp(request, starved ? Degradation.STARVED : Degradation.FAILED);
  }

  private void giveUp(PendingRequest request, Degradation why) {
    Loss loss = request.giveUp();
    if (loss == Loss.NONE) {
      return;
    }
    Degradation degradation =
        loss == Loss.AMBIGUOUS && why != Degradation.STARVED ? Degradation.AMBIGUOUS : why;
    if (request instanceof SlotRequest slotRequest) {
      slotRequest.lose(degradation);
      return;
    }
    try {
      request.decision().complete(decideLocally(request, degradation));
    } catch (RuntimeException failure) {
      request.decision().completeExceptionally(failure);
    }
  }

  private Decision decideLocally(PendingRequest request, Degradation why) {
    decideInFlight(request.claims());
    return fallback.decide(
        request.operation(), request.claims(), why, request.removeLocalDecision());
  }

  /**
   * Lets local buckets decide the requests that are in flight, before they decide requests that
   * were submitted later.
   */
  private void decideInFlight(List<RedisClaim> claims) {
    for (RedisClaim claim : claims) {
      if (claim.isLocal()) {
        topology
            .batcher(claim)
            .callsInFlight()
            .forEach(call -> call.decideLocally(this::decideInFlight));
      }
    }
  }

  private void decideInFlight(PendingRequest request) {
    if (request.operation() != Operation.TAKE
        || request instanceof SlotRequest
        || request.decision().isDone()) {
      return;
    }
    Decision ahead = fallback.decideAhead(request.claims());
    if (ahead != null && !request.setLocalDecision(ahead)) {
      fallback.undo(request.claims(), ahead);
    }
  }

  /** The operations of requests over several slots. */
  private final class SplitDispatch implements MultiSlotRequest.SlotDispatch {
    @Override
    public void send(SlotRequest slotRequest) {
      submit(slotRequest);
    }

    @Override
    public void giveUp(SlotRequest slotRequest) {
      timeOut(slotRequest);
    }

    @Override
    public Decision decide(Operation operation, List<RedisClaim> claims, Degradation why) {
      decideInFlight(claims);
      return fallback.decide(operation, claims, why, null);
    }

    @Override
    public void giveBack(List<Receipt> taken) {
      taken.forEach(Dispatcher.this::giveBack);
    }

    @Override
    public void denied(List<RedisClaim> claims, Decision denial, long startNanos) {
      Dispatcher.this.denied(claims, denial, System.nanoTime() - startNanos);
    }
  }

  /** Handles the results of calls. */
  private final class CallReplies implements CallBatcher.Callbacks {
    @Override
    public List<PendingRequest> preceding(PendingRequest request) {
      return reports.preceding(request);
    }

    @Override
    public void replied(Batch batch, long[] replies, long sentNanos) {
      long passed = System.nanoTime() - sentNanos;
      serverClock.set(replies[replies.length - 1]);
      windowClock.replied(replies[replies.length - 1], passed);
      observer.called(batch.size(), passed);
      if (replies[0] > 0) {
        observer.repaired(replies[0]);
      }
      batch.complete(
          replies,
          new Batch.Results() {
            @Override
            public void denied(List<RedisClaim> claims, Decision denial) {
              Dispatcher.this.denied(claims, denial, passed);
            }

            @Override
            public void completed(PendingRequest request, boolean granted) {
              Dispatcher.this.completed(request, granted);
            }

            @Override
            public void grantedLate(PendingRequest request, List<Receipt> receipts) {
              Dispatcher.this.grantedLate(request, receipts);
            }

            @Override
            public void replied(
                Operation operation, RedisClaim claim, long[] reply, int at, long granted) {
              if (claim.isLocal()) {
                claim.codec().updateCopy(local, operation, claim, reply, at, granted, passed);
              }
            }
          });
      leases.detectHotKeys(batch);
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
      split(request, request.claims().stream().map(List::of).toList());
    }

    @Override
    public void slotsRejected(List<PendingRequest> requests) {
      for (PendingRequest request : requests) {
        List<List<RedisClaim>> groups = topology.groupByCall(request.claims());
        if (groups.size() == 1) {
          topology.batcher(request.claims().get(0)).submit(request);
        } else {
          split(request, groups);
        }
      }
    }
  }

  private void denied(List<RedisClaim> claims, Decision denial, long passedNanos) {
    if (denials != null) {
      denials.add(claims, denial, denials.now() - passedNanos);
    }
  }

  /** Corrects the local buckets if they have decided, too. */
  private void completed(PendingRequest request, boolean granted) {
    Decision ahead = request.removeLocalDecision();
    boolean counted = ahead != null && ahead.allowed();
    if (granted && counted) {
      local.grantedTwice(request.claims());
    } else if (granted && local.hasUnreported()) {
      local.grantedMeanwhile(request.claims());
    } else if (ahead != null && !granted) {
      fallback.undo(request.claims(), ahead);
    }
  }

  /**
   * Refunds charges whose response was too late. If a local bucket has allowed the request in the
   * meantime, the charge is correct and stays.
   */
  private void grantedLate(PendingRequest request, List<Receipt> receipts) {
    var unused =
        request
            .callerDecision()
            .whenComplete(
                (decision, failure) -> {
                  boolean passed = decision != null && decision.allowed();
                  if (passed) {
                    local.grantedTwice(request.claims());
                  }
                  receipts.stream()
                      .filter(receipt -> !passed || !receipt.claim().isLocal())
                      .forEach(this::giveBack);
                });
  }

  /**
   * Refunds a charge whose response was too late, or whose request was denied by another slot.
   * Calls Redis even if it is marked as unavailable, because it did respond.
   */
  private void giveBack(Receipt receipt) {
    PendingRequest giveBack =
        new PendingRequest(
            Operation.GIVE_BACK,
            List.of(receipt.claim()),
            System.nanoTime() + GIVE_BACK_NANOS,
            receipt.micros(),
            receipt.ticks(),
            receipt.rest());
    var unused = giveBack.decision().thenAccept(done -> givenBack(giveBack, done));
    topology.batcher(receipt.claim()).submit(giveBack);
  }

  private void givenBack(PendingRequest giveBack, Decision done) {
    forgetDenials(giveBack);
    if (!done.degraded()) {
      observer.refunded(giveBack.claims().get(0).buckets().name());
    }
  }

  /**
   * Shuts down, and completes all pending requests. Requests that start later fail.
   *
   * @param timeoutNanos how long to wait until unused leases have been returned
   */
  void close(long timeoutNanos) {
    closed = true;
    leases.close(timeoutNanos);
    timer.shutdown();
    deadlines.giveUpAll();
    topology.close();
  }
}
