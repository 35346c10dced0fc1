package io.penstock.redis;

import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.Store;
import io.penstock.WindowLimit;
import io.penstock.inprocess.InProcessStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * In-process copies of buckets, which decide while Redis doesn't respond. Thread-safe.
 *
 * <p>While Redis responds, every reply sets the copy to the level that Redis reported. When Redis
 * stops responding, the copy starts from that level and counts what this node grants.
 *
 * <p>After a copy has decided a request, its bucket is unreported until the level of the copy has
 * been written to Redis: the next call for the bucket starts with a request that raises the debt in
 * Redis to that of the copy ({@link Operation#RAISE_DEBT}). Until then, the copy also counts what
 * Redis grants this node, and replies can increase its debt but not decrease it. Requests that are
 * in flight when a copy starts to decide are older than those that it decides, so it decides them
 * first, as if their replies were late. So at any time, this node alone has granted at most what
 * the limit allows, whether Redis or the copy decided; n nodes together at most n times the limit.
 *
 * <p>Windows have no level that could be set: their copies only count the grants of this node.
 * Their clock follows the server's, so that they end at the same time as the windows in Redis. The
 * report of a window contains everything that this node has granted from it, so that Redis counts
 * at least that.
 */
final class LocalBuckets {
  /** At the cap, the fullest copies are evicted first. */
  private static final int MAX_KEYS = 250_000;

  private static final int STRIPES = 64;
  private static final int MAX_UNREPORTED_PER_STRIPE = 2_048;
  private static final int MAX_WINDOWS_PER_STRIPE = 2_048;
  private static final int MAX_PROBED = 16;

  /** The pause before each sweep over all stripes, and between two stripes. */
  private static final long SWEEP_MILLIS = 1_000;

  private static final long SWEEP_STEP_MILLIS = 50;

  private final Store store = InProcessStore.builder().maxKeys(MAX_KEYS).build();
  private final WindowClock windowClock;
  private final Store windowStore;
  private final Stripe[] stripes = new Stripe[STRIPES];
  private final AtomicInteger unreported = new AtomicInteger();
  private final AtomicBoolean sweeping = new AtomicBoolean();

  /** The buckets whose keys have the same hash. */
  private static final class Stripe {
    final ReentrantLock lock = new ReentrantLock();

    /** The unreported buckets by Redis key, in the order of insertion; guarded by the lock. */
    final Map<String, Unreported> unreported = new LinkedHashMap<>();

    /** What was granted from windows, by Redis key, in the order of use; guarded by the lock. */
    final Map<String, WindowGrants> windows = new LinkedHashMap<>(16, 0.75f, true);

    WindowGrants grants(RedisClaim claim) {
      WindowCodec codec = (WindowCodec) claim.codec();
      WindowGrants grants = windows.compute(claim.redisKey(), (key, old) -> codec.grants(old));
      if (windows.size() > MAX_WINDOWS_PER_STRIPE) {
        windows.remove(windows.keySet().iterator().next());
      }
      return grants;
    }
  }

  /** The state of a report to Redis; guarded by the lock of its stripe. */
  private static final class Unreported {
    final RedisClaim claim;

    /** The number of changes of the copy that Redis doesn't know. */
    long changes;

    /** The number of changes that the last report included; 0 if it failed. */
    long reported;

    Unreported(RedisClaim claim) {
      this.claim = claim;
    }
  }

  /**
   * A report that has to be sent.
   *
   * @param missingThousandths the tokens that are missing from the copy of a token bucket
   * @param grants what was granted from a window
   * @param changes the number of changes of the copy that the report includes
   */
  record Report(
      RedisClaim claim, long missingThousandths, List<WindowGrants.Slice> grants, long changes) {}

  LocalBuckets(WindowClock windowClock) {
    this.windowClock = windowClock;
    this.windowStore = InProcessStore.builder().clock(windowClock).maxKeys(MAX_KEYS).build();
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
  }

  /** Returns a limiter for the copies of the buckets called {@code name}. */
  RateLimiter limiter(String name, Limit limit) {
    return RateLimiter.on(limit instanceof WindowLimit ? windowStore : store, name, limit);
  }

  private static int stripeOf(RedisClaim claim) {
    int hash = claim.redisKey().hashCode();
    return (hash ^ (hash >>> 16)) & (STRIPES - 1);
  }

  /** Decides claims of limiters that have local buckets. */
  Decision decide(Operation operation, List<RedisClaim> claims) {
    List<Claim> localClaims = claims.stream().map(RedisClaim::local).toList();
    if (operation == Operation.PEEK) {
      // An in-process peek is complete immediately.
      return store.peekAsync(localClaims).toCompletableFuture().join();
    }
    int[] order = claims.stream().mapToInt(LocalBuckets::stripeOf).sorted().distinct().toArray();
    for (int i : order) {
      stripes[i].lock.lock();
    }
    try {
      claims.stream().filter(RedisClaim::isTokenBucket).forEach(this::decided);
      // The windows are in another in-process store, which joins this one.
      Decision decision = store.take(localClaims);
      if (decision.allowed()) {
        claims.forEach(this::allowedFromWindow);
      }
      return decision;
    } finally {
      for (int i : order) {
        stripes[i].lock.unlock();
      }
    }
  }

  private void allowedFromWindow(RedisClaim claim) {
    if (!claim.isTokenBucket() && claim.thousandths() > 0) {
      stripes[stripeOf(claim)].grants(claim).add(windowClock.micros(), claim.thousandths());
      decided(claim);
    }
  }

  private void decided(RedisClaim claim) {
    Map<String, Unreported> known = stripes[stripeOf(claim)].unreported;
    Unreported own = known.get(claim.redisKey());
    if (own == null) {
      if (known.size() >= MAX_UNREPORTED_PER_STRIPE) {
        makeRoom(stripes[stripeOf(claim)]);
      }
      own = new Unreported(claim);
      known.put(claim.redisKey(), own);
      unreported.incrementAndGet();
    }
    own.changes++;
  }

  /** Removes one of the oldest buckets: the first that is full again, otherwise the oldest. */
  private void makeRoom(Stripe stripe) {
    String key =
        stripe.unreported.entrySet().stream()
            .limit(MAX_PROBED)
            .filter(entry -> hasNothingToReport(stripe, entry.getValue().claim))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseGet(() -> stripe.unreported.keySet().iterator().next());
    stripe.unreported.remove(key);
    unreported.decrementAndGet();
  }

  /** Whether everything that this node has granted from a bucket has been refilled. */
  private boolean hasNothingToReport(Stripe stripe, RedisClaim claim) {
    if (claim.isTokenBucket()) {
      Claim local = claim.local();
      return missing(local.buckets(), local) == 0;
    }
    WindowGrants grants = stripe.windows.get(claim.redisKey());
    return grants == null || grants.areOverAt(windowClock.micros());
  }

  /**
   * Forgets unreported buckets that have nothing to report any more, also if no caller uses them
   * again. Called when Redis is available; continues on the timer, in small steps.
   */
  void sweep(ScheduledExecutorService timer) {
    if (hasUnreported() && sweeping.compareAndSet(false, true)) {
      scheduleSweep(timer, 0);
    }
  }

  private void scheduleSweep(ScheduledExecutorService timer, int stripe) {
    long millis = stripe == 0 ? SWEEP_MILLIS : SWEEP_STEP_MILLIS;
    var unused = timer.schedule(() -> sweep(timer, stripe), millis, TimeUnit.MILLISECONDS);
  }

  private void sweep(ScheduledExecutorService timer, int index) {
    Stripe stripe = stripes[index];
    stripe.lock.lock();
    try {
      int before = stripe.unreported.size();
      stripe.unreported.values().removeIf(own -> hasNothingToReport(stripe, own.claim));
      unreported.addAndGet(stripe.unreported.size() - before);
    } finally {
      stripe.lock.unlock();
    }
    sweeping.set(false);
    if (hasUnreported() && sweeping.compareAndSet(false, true)) {
      scheduleSweep(timer, (index + 1) % STRIPES);
    }
  }

  /** Whether {@link #undo} supports the copy of a bucket. */
  static boolean canUndo(RedisClaim claim) {
    return claim.isTokenBucket() || ((WindowCodec) claim.codec()).isFixed();
  }

  /** Returns tokens that {@link #decide} took, because Redis has denied the request in time. */
  void undo(List<RedisClaim> claims) {
    for (RedisClaim claim : claims) {
      if (claim.isTokenBucket()) {
        var unused = claim.local().buckets().refund(claim.key(), claim.thousandths());
      } else {
        undoWindow(claim);
      }
    }
  }

  private void undoWindow(RedisClaim claim) {
    Stripe stripe = stripes[stripeOf(claim)];
    stripe.lock.lock();
    try {
      long left = stripe.grants(claim).remove(windowClock.micros(), claim.thousandths());
      Buckets buckets = claim.local().buckets();
      var unused = buckets.reset(claim.key());
      take(buckets, claim.key(), left);
    } finally {
      stripe.lock.unlock();
    }
  }

  /** Takes an amount, or as much of it as is available. */
  private static void take(Buckets buckets, String key, long thousandths) {
    if (!buckets.tryTake(key, thousandths)) {
      var unused = buckets.tryTake(key, buckets.take(key, 0, 0).remainingThousandths());
    }
  }

  /** Counts tokens that Redis granted to this node, if the copy has decided as well. */
  void grantedMeanwhile(List<RedisClaim> claims) {
    for (RedisClaim claim : claims) {
      if (claim.isLocal() && claim.isTokenBucket()) {
        grantedMeanwhile(claim);
      }
    }
  }

  private void grantedMeanwhile(RedisClaim claim) {
    Stripe stripe = stripes[stripeOf(claim)];
    stripe.lock.lock();
    try {
      Unreported own = stripe.unreported.get(claim.redisKey());
      if (own != null) {
        own.changes++;
        long granted = claim.localLimiter().share(claim.thousandths());
        var unused = claim.local().buckets().charge(claim.key(), granted);
      }
    } finally {
      stripe.lock.unlock();
    }
  }

  /** Whether there may be something to {@link #report}. */
  boolean hasUnreported() {
    return unreported.get() > 0;
  }

  /**
   * Returns the report that has to be sent before a request for a bucket; null if there is none, or
   * if it was already sent. The caller has to call {@link #reported} afterwards.
   */
  @Nullable Report report(RedisClaim claim) {
    if (!claim.isLocal()) {
      return null;
    }
    Stripe stripe = stripes[stripeOf(claim)];
    stripe.lock.lock();
    try {
      Unreported own = stripe.unreported.get(claim.redisKey());
      if (own == null || own.reported == own.changes) {
        return null;
      }
      own.reported = own.changes;
      if (!claim.isTokenBucket()) {
        return windowReport(claim, stripe, own);
      }
      Claim local = claim.local();
      long missing = missing(local.buckets(), local);
      return new Report(claim, missing, List.of(), own.changes);
    } finally {
      stripe.lock.unlock();
    }
  }

  private @Nullable Report windowReport(RedisClaim claim, Stripe stripe, Unreported own) {
    List<WindowGrants.Slice> grants = stripe.grants(claim).slices();
    if (grants.isEmpty()) {
      // Reset or evicted.
      stripe.unreported.remove(claim.redisKey());
      unreported.decrementAndGet();
      return null;
    }
    return new Report(claim, 0, grants, own.changes);
  }

  /** Called when a report was processed by Redis, or failed. */
  void reported(Report report, boolean successful) {
    Stripe stripe = stripes[stripeOf(report.claim)];
    stripe.lock.lock();
    try {
      Unreported own = stripe.unreported.get(report.claim.redisKey());
      if (own == null) {
        return;
      }
      if (!successful) {
        own.reported = 0;
      } else if (own.changes == report.changes) {
        stripe.unreported.remove(report.claim.redisKey());
        unreported.decrementAndGet();
      }
    } finally {
      stripe.lock.unlock();
    }
  }

  /** Sets the copy of a bucket to the level that Redis reported. */
  void setToRedisLevel(RedisClaim claim, long missingThousandths) {
    Claim local = claim.local();
    Buckets buckets = local.buckets();
    long missing = claim.localLimiter().share(missingThousandths);
    Stripe stripe = stripes[stripeOf(claim)];
    stripe.lock.lock();
    try {
      long more = missing - missing(buckets, local);
      if (more > 0) {
        var unused = buckets.charge(claim.key(), more);
      } else if (more < 0 && !stripe.unreported.containsKey(claim.redisKey())) {
        var unused = buckets.refund(claim.key(), -more);
      }
    } finally {
      stripe.lock.unlock();
    }
  }

  /**
   * Counts tokens that Redis granted to this node from a window.
   *
   * @param micros when they were granted, by the server's clock
   */
  void granted(RedisClaim claim, long thousandths, long micros) {
    Stripe stripe = stripes[stripeOf(claim)];
    stripe.lock.lock();
    try {
      WindowGrants grants = stripe.grants(claim);
      long more = grants.uncounted(thousandths);
      if (more > 0) {
        grants.add(micros, more);
        take(claim.local().buckets(), claim.key(), more);
      }
    } finally {
      stripe.lock.unlock();
    }
  }

  /** Called when Redis has granted a request that the copies have allowed already. */
  void grantedTwice(List<RedisClaim> claims) {
    for (RedisClaim claim : claims) {
      if (claim.isLocal() && !claim.isTokenBucket()) {
        Stripe stripe = stripes[stripeOf(claim)];
        stripe.lock.lock();
        try {
          stripe.grants(claim).addCountedTwice(claim.thousandths());
        } finally {
          stripe.lock.unlock();
        }
      }
    }
  }

  /** Resets the copy of a window. */
  void reset(RedisClaim claim) {
    Stripe stripe = stripes[stripeOf(claim)];
    stripe.lock.lock();
    try {
      stripe.windows.remove(claim.redisKey());
      var unused = claim.local().buckets().reset(claim.key());
    } finally {
      stripe.lock.unlock();
    }
  }

  private static long missing(Buckets buckets, Claim local) {
    Decision level = buckets.take(local.key(), 0, 0);
    return level.limit().burstThousandths() - level.remainingThousandths();
  }
}
