package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Concurrent takes, reservations, releases and renewals neither duplicate nor lose tokens. */
class LeaseConcurrencyTest {
  private static final int TAKERS = 4;

  /** Each taker tries at least this often, and until the store has granted it something. */
  private static final int TIMES = 40_000;

  private final AtomicLong numbers = new AtomicLong();
  private final Lease lease = new Lease(() -> 5, numbers::incrementAndGet, 100_000);
  private volatile boolean stopped;

  @Test
  void allOperations_concurrently_neitherLoseNorCreateTokens() throws Exception {
    ExecutorService pool = Executors.newCachedThreadPool();
    Future<Long> store = pool.submit(this::renew);
    List<Future<Long>> takers = new ArrayList<>();
    for (int i = 0; i < TAKERS; i++) {
      takers.add(pool.submit(i % 2 == 0 ? this::take : this::reserve));
    }
    long spent = 0;
    for (Future<Long> taker : takers) {
      spent += taker.get(60, TimeUnit.SECONDS);
    }
    stopped = true;
    long out = store.get(60, TimeUnit.SECONDS);
    pool.shutdown();
    assertThat(spent).isPositive();
    assertThat(spent + lease.left()).isEqualTo(out);
  }

  private long take() {
    long spent = 0;
    for (long i = 0; i < TIMES || spent == 0; i++) {
      long cost = 1 + i % 3;
      spent += lease.take(cost) == null ? 0 : cost;
    }
    return spent;
  }

  private long reserve() {
    long spent = 0;
    for (long i = 0; i < TIMES || spent == 0; i++) {
      long cost = 1 + i % 3;
      Lease.Reservation reservation = lease.reserve(cost);
      if (reservation != null && ThreadLocalRandom.current().nextBoolean()) {
        reservation.commit();
        spent += cost;
      } else if (reservation != null) {
        reservation.release();
      }
    }
    return spent;
  }

  /** A store that grants everything; computes the granted tokens minus the returned ones. */
  private long renew() {
    long granted = 0;
    while (!stopped) {
      Lease.LeaseCall call = lease.call(1 + ThreadLocalRandom.current().nextInt(3));
      if (call != null) {
        lease.answered(call, new Lease.LeaseReply(call.want(), call.keep(), 1, 0, 0));
        granted += call.want() - call.back();
      }
    }
    return granted;
  }
}
