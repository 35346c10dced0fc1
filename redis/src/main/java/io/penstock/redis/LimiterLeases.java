package io.penstock.redis;

import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.redis.Lease.Reservation;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The leases of this node on the buckets of one limiter. Thread-safe. */
final class LimiterLeases {
  /** The script supports integers below 2^53. */
  private static final long MAX_HOLDERS = 1L << 52;

  /** The maximum share of one node is the burst divided by this; must match the script. */
  private static final int NODE_SHARES = 8;

  /** A lease is returned after this many checks without use. */
  private static final int MAX_IDLE_CHECKS = 2;

  /**
   * With {@code AUTO}, a key that has fewer requests than this in {@link #COOL_CHECKS} checks,
   * about a second, is no longer leased. It takes four times as many to become hot.
   */
  private static final int COOL_REQUESTS = 60;

  private static final int COOL_CHECKS = 10;

  private final RedisBuckets buckets;
  private final NodeLeases nodeLeases;
  private final boolean auto;
  private final long max;
  private final long holder = ThreadLocalRandom.current().nextLong(MAX_HOLDERS);
  private final AtomicLong numbers = new AtomicLong();
  private final ConcurrentMap<String, KeyLease> leases = new ConcurrentHashMap<>();
  private volatile boolean ended;

  /** A lease and its bucket. */
  private static final class KeyLease {
    private final Lease lease;
    private final RedisClaim claim;

    // Used only by the thread that checks the leases.
    private long checks;
    private long passedBefore;

    KeyLease(Lease lease, RedisClaim claim) {
      this.lease = lease;
      this.claim = claim;
    }
  }

  LimiterLeases(RedisBuckets buckets, NodeLeases nodeLeases, Consistency consistency) {
    this.buckets = buckets;
    this.nodeLeases = nodeLeases;
    this.auto = consistency == Consistency.AUTO;
    this.max = buckets.limit().burstThousandths() / NODE_SHARES;
    nodeLeases.register(this);
  }

  boolean isAuto() {
    return auto;
  }

  /** Whether this node holds leased tokens of a key's bucket. */
  boolean hasTokens(String key) {
    KeyLease held = leases.get(key);
    return held != null && held.lease.left() > 0;
  }

  /** Takes {@code thousandths} from the lease of a key. */
  boolean tryTake(String key, long thousandths) {
    return takeGrant(key, thousandths) != null;
  }

  /** Takes {@code thousandths} from the lease of a key; returns null if it has too little. */
  @Nullable Decision take(String key, long thousandths) {
    LeaseGrant grant = takeGrant(key, thousandths);
    return grant == null ? null : decision(grant);
  }

  private @Nullable LeaseGrant takeGrant(String key, long thousandths) {
    KeyLease held = leases.get(key);
    if (held == null || thousandths == 0) {
      return null;
    }
    LeaseGrant grant = held.lease.take(thousandths);
    if (grant != null) {
      renewIfLow(held, grant);
    }
    return grant;
  }

  private void renewIfLow(KeyLease held, LeaseGrant grant) {
    if (grant.isLow() && !held.lease.isCalling()) {
      call(held);
    }
  }

  /** The result of a grant from a lease, with the bucket level as of the last reply of Redis. */
  Decision decision(LeaseGrant grant) {
    long remaining = Math.min(buckets.limit().burstThousandths(), grant.level() + grant.left());
    return Decision.allow(buckets.name(), buckets.limit(), remaining, grant.resetNanos(), 0);
  }

  /**
   * Reserves {@code thousandths} of a lease; returns null if it has too little.
   *
   * @param peek whether to only check, without reserving
   */
  @Nullable Reservation reserve(String key, long thousandths, boolean peek) {
    KeyLease held = leases.get(key);
    if (held == null || thousandths == 0) {
      return null;
    }
    if (peek) {
      return held.lease.peek(thousandths);
    }
    Reservation reservation = held.lease.reserve(thousandths);
    if (reservation != null) {
      renewIfLow(held, reservation.grant());
    }
    return reservation;
  }

  /** Returns the lease request to send along with a request that no lease served; null if none. */
  @Nullable LeaseRequest leaseRequestFor(RedisClaim claim) {
    long cost = claim.thousandths();
    if (cost == 0 || cost > max || claim.maxDelayNanos() > 0) {
      return null;
    }
    KeyLease held = leases.get(claim.key());
    if (held == null) {
      held = auto || !nodeLeases.recordAndCheckWarm(claim.redisKey()) ? null : hold(claim.key());
    }
    return held == null ? null : newLeaseRequest(held, cost);
  }

  /** Starts leasing a hot key, from its next request on. */
  void startIfAuto(String key) {
    if (auto && !leases.containsKey(key) && hold(key) != null) {
      nodeLeases.observer().hot(buckets.name(), true);
    }
  }

  private @Nullable KeyLease hold(String key) {
    if (ended || !nodeLeases.mayHold()) {
      return null;
    }
    Lease lease = new Lease(nodeLeases.nanos(), numbers::incrementAndGet, max);
    KeyLease held = new KeyLease(lease, buckets.claim(key, 0, 0));
    KeyLease other = leases.putIfAbsent(key, held);
    if (other != null) {
      return other;
    }
    nodeLeases.add(this);
    nodeLeases.held(1);
    return held;
  }

  private @Nullable LeaseRequest newLeaseRequest(KeyLease held, long cost) {
    Lease.LeaseCall call = held.lease.call(cost);
    return call == null
        ? null
        : new LeaseRequest(
            held.claim, holder, call, (request, reply) -> ended(held, request.call(), reply));
  }

  private void call(KeyLease held) {
    LeaseRequest request = newLeaseRequest(held, 0);
    if (request != null) {
      nodeLeases.send(request);
    }
  }

  private void ended(KeyLease held, Lease.LeaseCall call, Lease.@Nullable LeaseReply reply) {
    if (reply == null || !held.lease.answered(call, reply)) {
      held.lease.lost(call);
    } else {
      nodeLeases.report(held.claim, call, reply);
    }
    if (held.lease.isEnded()) {
      // Also return what was granted in the meantime.
      giveBack(held);
    }
  }

  /** Ends a lease and returns its tokens, once no call is in flight. */
  private void end(KeyLease held) {
    held.lease.end();
    giveBack(held);
  }

  private void giveBack(KeyLease held) {
    LeaseRequest request = newLeaseRequest(held, 0);
    if (request != null) {
      nodeLeases.send(request);
    } else if (!held.lease.isCalling() && leases.remove(held.claim.key(), held)) {
      nodeLeases.held(-1);
      if (auto) {
        nodeLeases.observer().hot(buckets.name(), false);
      }
    }
  }

  /** Checks all leases; called periodically by one thread. */
  void check() {
    for (KeyLease held : leases.values()) {
      if (ended || isCool(held)) {
        end(held);
        continue;
      }
      switch (held.lease.check(MAX_IDLE_CHECKS)) {
        case RENEW -> call(held);
        case END -> end(held);
        case NONE -> {}
      }
    }
  }

  private boolean isCool(KeyLease held) {
    if (!auto || ++held.checks % COOL_CHECKS != 0) {
      return false;
    }
    long passed = held.lease.requestsPassed();
    boolean cool = passed - held.passedBefore < COOL_REQUESTS;
    held.passedBefore = passed;
    return cool;
  }

  /** Ends all leases and returns their tokens. No new leases are started. */
  void end() {
    ended = true;
    leases.values().forEach(this::end);
  }

  boolean isEmpty() {
    return leases.isEmpty();
  }

  /** Adds the figures of these leases to {@code sum}. */
  LeaseStats plus(LeaseStats sum) {
    LeaseStats stats = sum;
    for (KeyLease held : leases.values()) {
      long outstanding = held.lease.outstanding();
      if (outstanding > 0) {
        stats = stats.plus(held.lease.left(), outstanding, held.lease.totalOutstanding());
      }
    }
    return stats;
  }
}
