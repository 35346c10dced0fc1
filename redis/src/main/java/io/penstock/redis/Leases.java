package io.penstock.redis;

import io.penstock.Consistency;
import io.penstock.Decision;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What this node has taken in advance of the buckets of one limiter. Thread-safe. */
final class Leases {
  /** The script knows numbers below 2^53. */
  private static final long MAX_HOLDERS = 1L << 52;

  /** As the script has it: a holder's part of the burst. */
  private static final int SHARE = 8;

  /** Unused for so many looks, a lease is given back. */
  private static final int IDLE_LOOKS = 2;

  /**
   * Less than that in so many looks, about a second, is too little for a lease where nobody asked
   * for one by name. It takes four times as much to be hot.
   */
  private static final int COOL_REQUESTS = 60;

  private static final int COOL_LOOKS = 10;

  private final RedisBuckets buckets;
  private final Leasing leasing;
  private final boolean auto;
  private final long most;
  private final long holder = ThreadLocalRandom.current().nextLong(MAX_HOLDERS);
  private final AtomicLong numbers = new AtomicLong();
  private final ConcurrentMap<String, KeyLease> leases = new ConcurrentHashMap<>();
  private volatile boolean ended;

  /** A lease and how Redis is told of it. */
  private static final class KeyLease {
    private final Lease lease;
    private final BucketRequest part;

    // Only used by who looks after leases.
    private long looks;
    private long passedBefore;

    KeyLease(Lease lease, BucketRequest part) {
      this.lease = lease;
      this.part = part;
    }
  }

  Leases(RedisBuckets buckets, Leasing leasing, Consistency consistency) {
    this.buckets = buckets;
    this.leasing = leasing;
    this.auto = consistency == Consistency.AUTO;
    this.most = buckets.limit().burstThousandths() / SHARE;
    leasing.expect(this);
  }

  boolean isAuto() {
    return auto;
  }

  /** Whether something is held of a key's bucket. */
  boolean holds(String key) {
    KeyLease held = leases.get(key);
    return held != null && held.lease.left() > 0;
  }

  /** Takes so much of what is here. */
  boolean tryTake(String key, long thousandths) {
    return taken(key, thousandths) != null;
  }

  /** Takes so much of what is here, and says how things stand; null if it is not here. */
  @Nullable Decision take(String key, long thousandths) {
    LeaseGrant term = taken(key, thousandths);
    return term == null ? null : answer(term);
  }

  private @Nullable LeaseGrant taken(String key, long thousandths) {
    KeyLease held = leases.get(key);
    if (held == null || thousandths == 0) {
      return null;
    }
    LeaseGrant term = held.lease.take(thousandths);
    if (term != null) {
      renewIfLow(held, term);
    }
    return term;
  }

  private void renewIfLow(KeyLease held, LeaseGrant term) {
    if (term.isLow() && !held.lease.isCalling()) {
      call(held);
    }
  }

  /** The answer to who took something: what was in the bucket when Redis was last asked. */
  private Decision answer(LeaseGrant term) {
    long remaining = Math.min(buckets.limit().burstThousandths(), term.level() + term.left());
    return Decision.allowed(buckets.name(), buckets.limit(), remaining, term.resetNanos(), 0);
  }

  /** What a request over several limits has of one of them, until it is decided. */
  final class Advance {
    private final KeyLease held;
    private final Lease.@Nullable Pledge pledge;
    private final Decision decision;

    private Advance(KeyLease held, Lease.@Nullable Pledge pledge) {
      this.held = held;
      this.pledge = pledge;
      this.decision = answer(pledge == null ? held.lease.term() : pledge.term());
    }

    Decision decision() {
      return decision;
    }

    void spend() {
      if (pledge != null) {
        held.lease.spend(pledge);
      }
    }

    void putBack() {
      if (pledge != null) {
        held.lease.putBack(pledge);
      }
    }
  }

  /**
   * Takes so much of what is here until it is known whether it is needed; null if it is not here.
   *
   * @param looking if nothing should be taken
   */
  @Nullable Advance advance(String key, long thousandths, boolean looking) {
    KeyLease held = leases.get(key);
    if (held == null || thousandths == 0) {
      return null;
    }
    if (looking) {
      return held.lease.left() >= thousandths ? new Advance(held, null) : null;
    }
    Lease.Pledge pledge = held.lease.pledge(thousandths);
    if (pledge == null) {
      return null;
    }
    renewIfLow(held, pledge.term());
    return new Advance(held, pledge);
  }

  /** What to ask Redis for beside a request that was not served from here; null for nothing. */
  @Nullable LeaseRequest wish(BucketRequest part) {
    long request = part.thousandths();
    if (request == 0 || request > most || part.maxDelayNanos() > 0) {
      return null;
    }
    KeyLease held = leases.get(part.key());
    if (held == null) {
      held = auto || !leasing.isWarm(part.redisKey()) ? null : hold(part.key());
    }
    return held == null ? null : ask(held, request);
  }

  /** Begins to take tokens of a bucket in advance, as soon as somebody asks for one. */
  void heated(String key) {
    if (auto && !leases.containsKey(key) && hold(key) != null) {
      leasing.observer().hot(buckets.name(), true);
    }
  }

  private @Nullable KeyLease hold(String key) {
    if (ended || !leasing.mayHold()) {
      return null;
    }
    Lease lease = new Lease(leasing.nanos(), numbers::incrementAndGet, most);
    KeyLease held = new KeyLease(lease, buckets.part(key, 0, 0));
    KeyLease other = leases.putIfAbsent(key, held);
    if (other != null) {
      return other;
    }
    leasing.add(this);
    leasing.held(1);
    return held;
  }

  private @Nullable LeaseRequest ask(KeyLease held, long request) {
    Lease.Call call = held.lease.call(request);
    return call == null
        ? null
        : new LeaseRequest(held.part, holder, call, (ask, reply) -> ended(held, ask.call(), reply));
  }

  private void call(KeyLease held) {
    LeaseRequest ask = ask(held, 0);
    if (ask != null) {
      leasing.send(ask);
    }
  }

  private void ended(KeyLease held, Lease.Call call, Lease.@Nullable Reply reply) {
    if (reply == null || !held.lease.answered(call, reply)) {
      held.lease.lost(call);
    } else {
      leasing.note(held.part, call, reply);
    }
    if (held.lease.isEnded()) {
      // What was granted meanwhile goes back as well.
      giveBack(held);
    }
  }

  /** Ends a lease: what is here goes back, once no call is under way. */
  private void end(KeyLease held) {
    held.lease.end();
    giveBack(held);
  }

  private void giveBack(KeyLease held) {
    LeaseRequest ask = ask(held, 0);
    if (ask != null) {
      leasing.send(ask);
    } else if (!held.lease.isCalling() && leases.remove(held.part.key(), held)) {
      leasing.held(-1);
      if (auto) {
        leasing.observer().hot(buckets.name(), false);
      }
    }
  }

  /** Looks after all leases; called every now and then by one thread. */
  void look() {
    for (KeyLease held : leases.values()) {
      if (ended || isCool(held)) {
        end(held);
        continue;
      }
      switch (held.lease.look(IDLE_LOOKS)) {
        case RENEW -> call(held);
        case END -> end(held);
        case NONE -> {}
      }
    }
  }

  private boolean isCool(KeyLease held) {
    if (!auto || ++held.looks % COOL_LOOKS != 0) {
      return false;
    }
    long passed = held.lease.requestsPassed();
    boolean cool = passed - held.passedBefore < COOL_REQUESTS;
    held.passedBefore = passed;
    return cool;
  }

  /** Gives everything back; nothing is taken in advance any more. */
  void end() {
    ended = true;
    leases.values().forEach(this::end);
  }

  boolean isEmpty() {
    return leases.isEmpty();
  }

  /** Adds what is held to a sum. */
  LeaseStats plus(LeaseStats sum) {
    LeaseStats figures = sum;
    for (KeyLease held : leases.values()) {
      long out = held.lease.out();
      if (out > 0) {
        figures = figures.plus(held.lease.left(), out, held.lease.outOfAll());
      }
    }
    return figures;
  }
}
