package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.TokenBucket;
import io.penstock.algorithm.FixedPointRate;
import io.penstock.algorithm.Trace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A simulation of nodes with leases on one bucket, and the store, with simulated time. The nodes
 * use the real {@link Lease}. Messages are delayed, lost and reordered; the clocks of nodes drift;
 * nodes pause whenever they read the clock, between any two steps. Everything depends on one seed.
 */
final class LeaseWorld {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  private final Random random;
  private final TokenBucket limit;
  private final LeasedBucket store;
  private final FixedPointRate fixedRate;
  private final Trace trace;
  private final Set<LeaseFlaw> flaws;
  private final SortedMap<Long, Long> grants = new TreeMap<>();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::at).thenComparingLong(Event::order));
  private final List<Node> nodes = new ArrayList<>();
  private long now;
  private long order;
  private int depth;

  /** Statistics of the run. */
  long leased;

  long exact;
  long lost;
  long overdue;

  private record Event(long at, long order, @Nullable Node node, Runnable action) {}

  /**
   * @param drift the maximum drift of the clocks of nodes
   */
  LeaseWorld(long seed, TokenBucket limit, int nodes, double drift, LeaseFlaw... flaws) {
    this.random = new Random(seed);
    this.limit = limit;
    this.fixedRate = FixedPointRate.of(limit, Ticks.NANOS, FixedPointRate.MAX_UNITS_IN_DOUBLES);
    this.now = 1_000 * SECOND;
    this.store = new LeasedBucket(fixedRate, tick(), flaws);
    this.flaws = Set.of(flaws);
    this.trace = new Trace(fixedRate.rate(), limit.burstThousandths());
    for (int i = 0; i < nodes; i++) {
      this.nodes.add(new Node(i, 1 + drift * (2 * random.nextDouble() - 1)));
    }
  }

  private long tick() {
    return now / Ticks.NANOS;
  }

  /** Runs so many events, and checks P1 for all grants. */
  void run(int steps) {
    for (int i = 0; i < steps && !events.isEmpty(); i++) {
      step();
    }
    trace.check();
  }

  private void step() {
    Event event = events.poll();
    now = Math.max(now, event.at);
    if (event.node != null && event.node.busy > 0) {
      // The node holds a lock or is paused: postpone the event.
      at(now + 1 + random.nextInt(5_000_000), event.node, event.action);
    } else {
      event.action.run();
    }
    check();
  }

  /** Checks that all grants, and what nodes could still grant, are missing at the store. */
  private void check() {
    long unspent = nodes.stream().mapToLong(Node::unspent).sum();
    assertThat(exactDebt() + fixedRate.units(unspent))
        .as("granted and unspent at %s", now)
        .isLessThanOrEqualTo(store.debt(tick()));
  }

  /** The debt of a bucket without leases that had granted the same. */
  private long exactDebt() {
    long debt = 0;
    long last = 0;
    for (Map.Entry<Long, Long> grant : grants.entrySet()) {
      debt = refilled(debt, grant.getKey() - last) + fixedRate.units(grant.getValue());
      last = grant.getKey();
    }
    return refilled(debt, tick() - last);
  }

  private long refilled(long debt, long ticks) {
    return ticks > debt / fixedRate.unitsPerTick() ? 0 : debt - ticks * fixedRate.unitsPerTick();
  }

  private void grant(long nanos, long cost) {
    long granted = nanos / Ticks.NANOS;
    grants.merge(granted, cost, Long::sum);
    trace.grant(granted * Ticks.NANOS, cost);
  }

  private void at(long when, @Nullable Node node, Runnable action) {
    events.add(new Event(when, order++, node, action));
  }

  private void schedule(long maxNanos, @Nullable Node node, Runnable action) {
    at(now + 1 + (long) (random.nextDouble() * maxNanos), node, action);
  }

  /** Mostly short, sometimes longer than a lease. */
  private long delay() {
    int kind = random.nextInt(20);
    return kind < 14 ? 2 * MILLI : kind < 18 ? 300 * MILLI : 3 * SECOND;
  }

  private final class Node {
    private final int holder;
    private final double clockRate;
    private final long offset = random.nextLong();
    private long number;
    private long takenAt;
    private long earlier;
    private boolean readEarlier;
    private int busy;
    private Lease lease;

    Node(int holder, double clockRate) {
      this.holder = holder;
      this.clockRate = clockRate;
      this.lease = fresh();
      schedule(100 * MILLI, this, this::act);
    }

    private Lease fresh() {
      return new Lease(this::clock, () -> ++number, limit.burstThousandths() / 8);
    }

    private long own() {
      return offset + (long) (now * clockRate);
    }

    /** Other events happen before and after. */
    private long clock() {
      if (flaws.contains(LeaseFlaw.CLOCK_READ_FIRST) && readEarlier) {
        takenAt = now;
        return earlier;
      }
      long before = now;
      pause();
      long read = own();
      pause();
      takenAt = before;
      return read;
    }

    private void pause() {
      if (depth < 3 && random.nextInt(20) == 0) {
        depth++;
        long until = now + (long) (random.nextDouble() * delay());
        while (!events.isEmpty() && events.peek().at <= until) {
          step();
        }
        now = Math.max(now, until);
        depth--;
      }
    }

    private long unspent() {
      LeaseGrant grant = lease.grant();
      return grant.isExpired(own()) ? 0 : grant.left();
    }

    /** While a lease is locked, nothing else in this node that needs the lock can run. */
    private void locked(Runnable action) {
      busy++;
      action.run();
      busy--;
    }

    private void act() {
      schedule(random.nextInt(3) == 0 ? 200 * MILLI : 20 * MILLI, this, this::act);
      long cost = 1_000L * (1 + random.nextInt(2));
      switch (random.nextInt(12)) {
        case 0 -> call(cost);
        case 1 -> reserve(cost);
        case 2 -> {
          if (random.nextInt(4) == 0) {
            locked(lease::end);
            call(0);
          }
        }
        case 3 -> at(now + (long) (random.nextDouble() * delay()), null, () -> take(cost));
        default -> {
          if (takeHere(cost)) {
            leased++;
            grant(takenAt, cost);
          } else {
            at(now + (long) (random.nextDouble() * 2 * MILLI), null, () -> take(cost));
            call(cost);
          }
        }
      }
    }

    private boolean takeHere(long cost) {
      if (flaws.contains(LeaseFlaw.CLOCK_READ_FIRST)) {
        long read = own();
        pause();
        earlier = read;
        readEarlier = true;
      }
      boolean taken = lease.take(cost) != null;
      readEarlier = false;
      return taken;
    }

    private void take(long cost) {
      if (store.take(tick(), cost)) {
        exact++;
        grant(now, cost);
      }
    }

    private void reserve(long cost) {
      Lease of = lease;
      Lease.Reservation[] reservation = new Lease.Reservation[1];
      locked(() -> reservation[0] = of.reserve(cost));
      if (reservation[0] == null) {
        return;
      }
      if (random.nextBoolean()) {
        grant(takenAt, cost);
        schedule(delay(), this, () -> locked(() -> reservation[0].commit()));
      } else {
        schedule(delay(), this, () -> locked(() -> reservation[0].release()));
      }
    }

    private void call(long cost) {
      Lease of = lease;
      Lease.LeaseCall[] made = new Lease.LeaseCall[1];
      locked(() -> made[0] = of.call(cost));
      Lease.LeaseCall call = made[0];
      if (call == null) {
        if (of.isEnded() && !of.isCalling()) {
          lease = fresh();
        }
        return;
      }
      boolean[] over = new boolean[1];
      // Timed out, whether lost or only late; both messages can still arrive at the store.
      schedule(
          delay() * 2,
          this,
          () -> {
            if (!over[0]) {
              over[0] = true;
              overdue++;
              locked(() -> of.lost(call));
              ended(of);
            }
          });
      if (random.nextInt(10) == 0) {
        lost++;
        return;
      }
      schedule(delay(), null, () -> arrive(of, call, over));
    }

    private void arrive(Lease of, Lease.LeaseCall call, boolean[] over) {
      LeasedBucket.Reply reply = store.lease(tick(), holder, call);
      if (random.nextInt(10) == 0) {
        lost++;
        return;
      }
      schedule(
          delay(),
          this,
          () -> {
            if (!over[0] || flaws.contains(LeaseFlaw.ANSWERS_AT_ANY_TIME)) {
              over[0] = true;
              locked(
                  () ->
                      of.answered(
                          heard(call),
                          new Lease.LeaseReply(
                              reply.granted(), reply.kept(), reply.outstanding(), 0, 0)));
              ended(of);
            }
          });
    }

    private Lease.LeaseCall heard(Lease.LeaseCall call) {
      return flaws.contains(LeaseFlaw.COUNTED_FROM_THE_ANSWER)
          ? new Lease.LeaseCall(
              call.number(),
              call.keep(),
              call.back(),
              call.want(),
              call.grain(),
              own(),
              call.expired(),
              call.last())
          : call;
    }

    private void ended(Lease of) {
      if (of == lease && of.isEnded()) {
        call(0);
      }
    }
  }
}
