package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Handling;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreException;
import io.penstock.inprocess.InProcessStore;
import io.penstock.redis.Ask.Loss;
import io.penstock.redis.Ask.What;
import io.penstock.redis.RedisObserver.Degradation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Buckets in Redis or Valkey, shared by any number of nodes. Thread-safe.
 *
 * <pre>{@code
 * var store = RedisStore.connect("redis://localhost");
 * var search = RateLimiter.on(store, "search", Limit.perMinute(100).burst(20));
 * }</pre>
 *
 * <p>Every decision comes back within its deadline. When Redis can't be asked, the failure policy
 * of the limiter decides, and the decision is marked as degraded. Continuations of asynchronous
 * decisions run on the thread that reads from Redis or on the one that looks after deadlines: they
 * must not block.
 */
public final class RedisStore implements Store {
  /** How long to wait at the end until Redis has what was not used. */
  private static final long MOST_GIVING_BACK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** For so long a give-back follows its bucket around in a cluster. */
  private static final long GIVE_BACK_NANOS = 1_000_000_000;

  private final String keyPrefix;
  private final long deadlineNanos;
  private final int nodes;
  private final RedisObserver observer;
  private final ScheduledThreadPoolExecutor timer;
  private final Topology topology;
  private final Deadlines deadlines;
  private final Waiting waiting;
  private final InProcessStore local = InProcessStore.create();
  private final Fallback fallback;
  private final @Nullable DenialMemory denials;
  private final Leasing leasing;
  private final Spanning spanning = new Spanning();

  RedisStore(RedisStoreBuilder settings, Function<Making, Topology> topology) {
    this.keyPrefix = settings.keyPrefix();
    this.deadlineNanos = settings.deadline().toNanos();
    this.nodes = settings.nodes();
    this.denials = settings.denialMemory() ? new DenialMemory(settings.denialClock()) : null;
    this.observer = new GuardedObserver(settings.observer());
    this.timer =
        new ScheduledThreadPoolExecutor(
            1, RedisStore::daemon, new ThreadPoolExecutor.DiscardPolicy());
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    this.topology = topology.apply(new Making(settings, observer, timer, new Answers()));
    this.deadlines = new Deadlines(timer, this::overdue);
    this.waiting = new Waiting(this.topology::requestsUnderWay, this::overdue);
    this.fallback = new Fallback(local, observer);
    this.leasing = new Leasing(timer, this::submit, this::forgetDenials, observer);
    this.topology.begin(settings.startTimeout());
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "penstock-redis");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * A store on the Redis at {@code url}: {@code redis://}, {@code rediss://}, {@code
   * redis-sentinel://}, {@code redis-socket://}, or {@code redis-cluster://} with some servers of a
   * cluster, with user and password if need be. Redis need not be there yet.
   */
  public static RedisStore connect(String url) {
    return builder().connect(url);
  }

  /**
   * Finds out whether {@link #connect} would take a URL.
   *
   * @throws IllegalArgumentException if it would not
   */
  public static void checkUrl(String url) {
    if (ClusterUrl.isOne(url)) {
      ClusterUrl.servers(url);
    } else {
      RedisURI.create(url);
    }
  }

  /** A store on a connection that the application has, and goes on owning. */
  public static RedisStore on(StatefulRedisConnection<byte[], byte[]> connection) {
    return builder().on(connection);
  }

  /** A store on a connection to a cluster that the application has, and goes on owning. */
  public static RedisStore on(StatefulRedisClusterConnection<byte[], byte[]> connection) {
    return builder().on(connection);
  }

  public static RedisStoreBuilder builder() {
    return new RedisStoreBuilder();
  }

  String keyPrefix() {
    return keyPrefix;
  }

  /** Whether Redis is being asked now, as far as is known; of a cluster, for all keys. */
  public boolean isAvailable() {
    return topology.isAvailable();
  }

  @Override
  public Buckets buckets(String name, Limit limit, Handling handling) {
    return new RedisBuckets(this, name, limit, handling);
  }

  /** This node's share of a limit. */
  Limit localShare(String name, Limit limit) {
    if (nodes < 1) {
      throw new IllegalArgumentException(
          "nodes must be set for a limiter that falls back to local buckets: " + name);
    }
    return Shares.of(limit, nodes);
  }

  /** Where this node decides by itself while Redis is away. */
  Store local() {
    return local;
  }

  /** What this node takes of buckets in advance. */
  Leasing leasing() {
    return leasing;
  }

  /** What this node has taken of buckets in advance, for limiters that are not exact. */
  public LeaseFigures leases() {
    return leasing.figures();
  }

  @Override
  public Decision decide(List<Claim> claims) {
    if (!Payment.isPossible(claims)) {
      return await(ask(What.TAKE, parts(claims)));
    }
    Payment payment = Payment.of(parts(claims), false);
    List<Part> rest = payment.rest();
    if (rest.isEmpty()) {
      return payment.settle(null);
    }
    Decision decision;
    try {
      decision = await(ask(What.TAKE, rest));
    } catch (RuntimeException failure) {
      payment.putBack();
      throw failure;
    }
    return payment.settle(decision);
  }

  @Override
  public CompletionStage<Decision> decideAsync(List<Claim> claims) {
    return later(What.TAKE, claims);
  }

  @Override
  public CompletionStage<Decision> preview(List<Claim> claims) {
    return later(What.PREVIEW, claims);
  }

  private CompletionStage<Decision> later(What what, List<Claim> claims) {
    if (!Payment.isPossible(claims)) {
      return later(ask(what, parts(claims)));
    }
    Payment payment = Payment.of(parts(claims), what == What.PREVIEW);
    List<Part> rest = payment.rest();
    if (rest.isEmpty()) {
      return CompletableFuture.completedFuture(payment.settle(null));
    }
    return later(ask(what, rest))
        .whenComplete(
            (decision, failure) -> {
              if (failure != null) {
                payment.putBack();
              }
            })
        .thenApply(payment::settle);
  }

  private static List<Part> parts(List<Claim> claims) {
    List<Part> parts = new ArrayList<>(claims.size());
    for (int i = 0; i < claims.size(); i++) {
      Claim claim = claims.get(i);
      if (!(claim.buckets() instanceof RedisBuckets buckets)) {
        throw new IllegalArgumentException("claims must be on a Redis store: " + claim.buckets());
      }
      Part part = buckets.part(claim.key(), claim.cost(), claim.maxDelayNanos());
      for (Part other : parts) {
        if (other.redisKey().equals(part.redisKey())) {
          throw new IllegalArgumentException("a bucket can be claimed once: " + buckets.name());
        }
      }
      parts.add(part);
    }
    return parts;
  }

  Ask ask(What what, List<Part> parts) {
    return new Ask(what, parts, System.nanoTime() + deadlineNanos);
  }

  /** Asks, and waits for the answer: for no longer than its deadline, so even if interrupted. */
  Decision await(Ask ask) {
    return waiting.await(ask, start(ask));
  }

  /** Asks, and answers later. */
  CompletionStage<Decision> later(Ask ask) {
    CompletableFuture<Decision> answer = start(ask);
    if (!answer.isDone()) {
      deadlines.watch(ask);
    }
    return answer;
  }

  /** Does something that has no decision for an answer. */
  CompletionStage<Void> change(Ask ask) {
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
  private void forgetDenials(Ask change) {
    change.parts().forEach(this::forgetDenials);
  }

  private void forgetDenials(Part part) {
    if (denials != null) {
      denials.forget(part.redisKey());
    }
  }

  private CompletableFuture<Decision> start(Ask ask) {
    Decision known =
        denials != null && ask.what() == What.TAKE ? denials.recall(ask.parts()) : null;
    if (known != null) {
      observer.remembered(known.limiter());
      return CompletableFuture.completedFuture(known);
    }
    List<List<Part>> ways = topology.together(ask.parts());
    if (ways.size() == 1) {
      submit(ask);
    } else {
      span(ask, ways);
    }
    return ask.answer();
  }

  /** What the buckets of a request should have on lease, to be asked for in the same call. */
  private static List<LeaseAsk> wishes(Ask ask) {
    List<LeaseAsk> wishes = List.of();
    if (ask.what() == What.TAKE) {
      for (Part part : ask.parts()) {
        Leases leases = part.buckets().leases();
        LeaseAsk wish = leases == null ? null : leases.wish(part);
        if (wish != null) {
          wishes = wishes.isEmpty() ? new ArrayList<>() : wishes;
          wishes.add(wish);
        }
      }
    }
    return wishes;
  }

  private void submit(Ask ask) {
    Calls calls = topology.calls(ask.parts().get(0));
    if (calls.route().isOpen()) {
      calls.submit(ask, wishes(ask));
    } else {
      giveUp(ask, Degradation.UNAVAILABLE);
    }
  }

  private void span(Ask ask, List<List<Part>> ways) {
    Span span = new Span(ask, ways, spanning);
    ask.becomes(span);
    span.begin();
  }

  private void overdue(Ask ask) {
    Span span = ask.span();
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

  private void giveUp(Ask ask, Degradation why) {
    Loss loss = ask.giveUp();
    if (loss == Loss.NONE) {
      return;
    }
    Degradation degradation = loss == Loss.AMBIGUOUS ? Degradation.AMBIGUOUS : why;
    if (ask instanceof Leg leg) {
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
  private final class Spanning implements Span.Hands {
    @Override
    public void ask(Leg leg) {
      submit(leg);
    }

    @Override
    public void giveUp(Leg leg) {
      overdue(leg);
    }

    @Override
    public Decision decide(What what, List<Part> parts, Degradation why) {
      return fallback.decide(what, parts, why);
    }

    @Override
    public void giveBack(Ask taken) {
      RedisStore.this.giveBack(taken);
    }

    @Override
    public void denied(List<Part> parts, Decision denial, long startNanos) {
      RedisStore.this.denied(parts, denial, System.nanoTime() - startNanos);
    }
  }

  /** What comes back from Redis, or doesn't. */
  private final class Answers implements Calls.Callbacks {
    @Override
    public void answered(Batch batch, long[] replies, long sentNanos) {
      long passed = System.nanoTime() - sentNanos;
      observer.called(batch.size(), passed);
      if (replies[0] > 0) {
        observer.repaired(replies[0]);
      }
      batch
          .answer(replies, (parts, denial) -> denied(parts, denial, passed))
          .forEach(RedisStore.this::giveBack);
      leasing.noteCrowds(batch);
    }

    @Override
    public void failed(List<Ask> asks, Throwable cause) {
      observer.failed(asks.size(), cause);
      boolean refused = cause instanceof RedisCommandExecutionException;
      boolean unsent = cause instanceof Link.NotSent;
      for (Ask ask : asks) {
        if (refused || unsent) {
          ask.refused();
        }
        giveUp(ask, Degradation.FAILED);
      }
    }

    @Override
    public void cameApart(Ask ask) {
      span(ask, ask.parts().stream().map(List::of).toList());
    }
  }

  private void denied(List<Part> parts, Decision denial, long passedNanos) {
    if (denials != null) {
      denials.note(parts, denial, denials.now() - passedNanos);
    }
  }

  /**
   * Returns what a request was charged whose answer came too late, or that was denied elsewhere.
   * The answer did come, so Redis is asked even if it is still believed to be away.
   */
  private void giveBack(Ask taken) {
    for (Part part : taken.parts()) {
      if (part.limitsTokens() && part.cost() > 0) {
        long last = System.nanoTime() + GIVE_BACK_NANOS;
        Ask refund = new Ask(What.REFUND, List.of(part), last);
        var unused = refund.answer().thenAccept(done -> givenBack(refund, done));
        topology.calls(part).submit(refund);
      }
    }
  }

  private void givenBack(Ask refund, Decision done) {
    forgetDenials(refund);
    if (!done.degraded()) {
      observer.givenBack(refund.parts().get(0).buckets().name());
    }
  }

  @Override
  public void close() {
    leasing.close(Math.min(MOST_GIVING_BACK_NANOS, 2 * deadlineNanos));
    timer.shutdown();
    deadlines.giveUpAll();
    topology.close();
  }
}
