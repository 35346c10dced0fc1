package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Consistency;
import io.penstock.Decision;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Decisions during failures of cluster servers: those for other servers continue, the rest is
 * decided by failure policies, in time. Over-grants are measured. Most of these tests are not part
 * of ordinary builds; CONTRIBUTING has the command.
 */
class ClusterFaultsIT {
  private static final int BURST = 1_000;
  private static final int KEYS_EACH = 3;
  private static final String[] PARTLY = {"--cluster-require-full-coverage", "no"};
  private static final StoreOptions CLOSED =
      new StoreOptions(FailurePolicy.CLOSED, Consistency.EXACT);

  private final Counts counts = new Counts();

  private RedisStore connect(ClusterProcesses cluster, Duration deadline) {
    RedisStore store =
        RedisStore.builder()
            .observer(counts)
            .deadline(deadline)
            .startTimeout(Duration.ofSeconds(20))
            .denialMemory(false)
            .connect(cluster.url());
    await("available").until(store::isAvailable);
    return store;
  }

  private static List<String> keys(ClusterProcesses cluster) {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 3 * KEYS_EACH; i++) {
      keys.add(cluster.keyAt(i % 3, i / 3));
    }
    return keys;
  }

  private static Predicate<String> at(ClusterProcesses cluster, int primary) {
    List<String> own = new ArrayList<>();
    for (int i = 0; i < KEYS_EACH; i++) {
      own.add(cluster.keyAt(primary, i));
    }
    return own::contains;
  }

  private void failover(String what, boolean resumed, String... options) {
    Duration deadline = Duration.ofMillis(resumed ? 25 : 250);
    try (ClusterProcesses cluster = new ClusterProcesses(options);
        RedisStore store = connect(cluster, deadline);
        RedisStore another = connect(cluster, deadline);
        ClusterLoad load = new ClusterLoad(List.of(store, another), keys(cluster), BURST, 4)) {
      Predicate<String> hit = at(cluster, 0);
      RedisProcess first = cluster.primaries().get(0);
      load.awaitGranted(BURST / 3);
      if (resumed) {
        first.freeze();
      } else {
        first.kill();
      }
      load.awaitDegraded(5, hit);
      load.awaitExact("the others go on", 20, hit.negate());
      await("the replica takes over").until(() -> ClusterProcesses.isPrimary(cluster.replica(0)));
      if (resumed) {
        first.thaw();
        await("the old primary is a replica").until(() -> !ClusterProcesses.isPrimary(first));
      }
      load.awaitExact("decisions after", 20, hit);
      load.awaitUsedUp();
      load.awaitExact("and nothing more", 5, key -> true);
      load.stop();
      load.report(what, hit);
      // Writes that were not replicated are lost. While two primaries accept writes, up to another
      // burst is granted.
      assertThat(load.maxOverGranted()).isLessThanOrEqualTo(BURST);
      assertThat(cluster.keysWithoutTtl()).isEmpty();
      await("exact again").until(store::isAvailable);
    }
  }

  @Test
  void primaryKilled_othersGoOnUntilTheReplicaTakesOver() {
    failover("kill -9", false, PARTLY);
  }

  @Test
  @Tag("slow")
  void primaryStoppedAndResumed_decisionsGoOn() {
    failover("SIGSTOP, SIGCONT", true, PARTLY);
  }

  @Test
  @Tag("slow")
  void primaryKilled_allSlotsRequired_decisionsGoOn() {
    failover("kill -9, all slots required", false);
  }

  @Test
  @Tag("slow")
  void primaryStoppedAndResumed_allSlotsRequired_decisionsGoOn() {
    failover("SIGSTOP, SIGCONT, all slots required", true);
  }

  @Test
  @Tag("full")
  void someSlotsUnavailable_othersAreNotAffected() {
    try (ClusterProcesses cluster = new ClusterProcesses(3, 0, PARTLY)) {
      slotWithoutOwner_isDecidedByPolicyAndOthersByRedis(cluster);
      primaryStopped_opensItsOwnBreakerOnly(cluster);
    }
  }

  /** One server that doesn't respond, without a replica: P8 for its keys, the others exact. */
  private void primaryStopped_opensItsOwnBreakerOnly(ClusterProcesses cluster) {
    try (RedisStore store = connect(cluster, Duration.ofSeconds(2))) {
      Limit limit = Limit.perSecond(1_000_000).burst(1_000_000_000);
      RateLimiter limiter = RateLimiter.on(store, "x", limit, CLOSED);
      String hit = cluster.keyAt(1, 0);
      limiter.take(hit);
      cluster.primaries().get(1).freeze();
      await("detected as unavailable").until(() -> decidedImmediately(limiter, hit));
      assertThat(store.isAvailable()).isFalse();
      int exact = 0;
      for (int i = 0; i < 200; i++) {
        Decision other = limiter.take(cluster.keyAt(i % 2 * 2, 1 + i % 5));
        exact += other.degraded() ? 0 : 1;
        assertThat(limiter.take(hit).degraded()).isTrue();
      }
      // All of them, unless the machine stalls for longer than a deadline.
      assertThat(exact).isGreaterThan(190);
      cluster.primaries().get(1).thaw();
      await("available again").until(store::isAvailable);
      await("exact again").until(() -> !limiter.take(hit).degraded());
    }
  }

  private static boolean decidedImmediately(RateLimiter limiter, String key) {
    long start = System.nanoTime();
    Decision decision = limiter.take(key);
    return decision.degraded() && System.nanoTime() - start < 50_000_000;
  }

  /** No server accepts commands while one is missing and all slots are required. */
  @Test
  @Tag("full")
  void clusterDown_isDecidedByPolicyUntilItIsUp() {
    try (ClusterProcesses cluster = new ClusterProcesses(3, 0);
        RedisStore store = connect(cluster, Duration.ofMillis(250));
        ClusterLoad load = new ClusterLoad(List.of(store), keys(cluster), BURST, 4)) {
      load.awaitGranted(20);
      cluster.primaries().get(2).kill();
      load.awaitDegraded(20, key -> true);
      assertThat(store.isAvailable()).isFalse();
      cluster.primaries().get(2).restart();
      load.awaitExact("up again", 20, key -> true);
      load.awaitUsedUp();
      load.stop();
      load.report("CLUSTERDOWN", at(cluster, 2));
      await("exact again").until(store::isAvailable);
    }
  }

  private void slotWithoutOwner_isDecidedByPolicyAndOthersByRedis(ClusterProcesses cluster) {
    try (RedisStore store = connect(cluster, Duration.ofMillis(250))) {
      RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(BURST), CLOSED);
      String hit = cluster.keyAt(0, 0);
      String other = cluster.keyAt(0, 1);
      String slot = "" + SlotTable.slotOf("{" + hit + "}");
      assertThat(limiter.take(hit).allowed()).isTrue();
      // Every server needs the command, because the removal of a slot is not propagated.
      cluster
          .primaries()
          .forEach(server -> ClusterProcesses.must(server, "CLUSTER", "DELSLOTS", slot));
      await("detected").until(() -> limiter.take(hit).degraded());
      assertThat(limiter.take(other).degraded()).isFalse();
      await("known").until(() -> !store.isAvailable());
      assertThat(limiter.take(other).degraded()).isFalse();
      ClusterProcesses.must(cluster.primaries().get(0), "CLUSTER", "ADDSLOTS", slot);
      await("found").until(() -> !limiter.take(hit).degraded());
      await("exact again").until(store::isAvailable);
    }
  }

  /**
   * Only the network to one server is cut: no failover, its keys are decided by failure policies.
   */
  @Test
  @Tag("full")
  void networkToOnePrimaryCut_othersGoOn() {
    try (ClusterProcesses cluster = ClusterProcesses.behindProxy();
        RedisStore store = connect(cluster, Duration.ofMillis(100));
        ClusterLoad load = new ClusterLoad(List.of(store), keys(cluster), BURST, 4)) {
      Predicate<String> hit = at(cluster, 0);
      load.awaitGranted(20);
      cluster.proxy().lose(true);
      load.awaitDegraded(20, hit);
      load.awaitExact("the others go on", 20, hit.negate());
      cluster.proxy().lose(false);
      load.awaitExact("there again", 20, hit);
      load.awaitUsedUp();
      load.stop();
      load.report("way to one primary cut", hit);
      assertThat(load.maxOverGranted()).isZero();
    }
  }

  /**
   * A primary is partitioned from the others, while clients reach all of them: it continues
   * granting until it detects that, and all of these grants are lost.
   */
  @Test
  @Tag("slow")
  void primaryPartitioned_grantsUntilItDetectsIt() {
    try (SplitCluster split = new SplitCluster();
        RedisStore store = connect(split.cluster(), Duration.ofMillis(25));
        RedisStore another = connect(split.cluster(), Duration.ofMillis(25));
        ClusterLoad load =
            new ClusterLoad(List.of(store, another), keys(split.cluster()), BURST, 4)) {
      ClusterProcesses cluster = split.cluster();
      Predicate<String> hit = at(cluster, 0);
      load.awaitGranted(BURST / 10);
      split.cut(true);
      await("the replica takes over").until(() -> ClusterProcesses.isPrimary(cluster.replica(0)));
      load.awaitExact("decisions after", 20, hit);
      split.cut(false);
      await("the old primary is a replica")
          .until(() -> !ClusterProcesses.isPrimary(cluster.primaries().get(0)));
      load.awaitUsedUp();
      load.awaitExact("and nothing more", 5, key -> true);
      load.stop();
      load.report("cut off", hit);
      assertThat(load.maxOverGranted()).isLessThanOrEqualTo(BURST);
    }
  }

  /**
   * Scripts are reloaded where they are missing; without known slots, the reason says what to do.
   */
  @Test
  @Tag("full")
  void scriptFlush_isNoFault_noSlotsIsOne() {
    Counts counts = new Counts();
    try (ClusterProcesses cluster = new ClusterProcesses(3, 0)) {
      try (RedisStore store =
              RedisStore.builder()
                  .deadline(Duration.ofSeconds(5))
                  .observer(counts)
                  .connect(cluster.url());
          ClusterLoad load = new ClusterLoad(List.of(store), keys(cluster), BURST, 4)) {
        for (int i = 0; i < 10; i++) {
          load.awaitExact("exact", 5, key -> true);
          cluster.primaries().forEach(server -> server.command("SCRIPT", "FLUSH"));
        }
        load.stop();
        assertThat(counts.failures).isEmpty();
      }
      try (RedisStore store =
          RedisStore.builder()
              .deadline(Duration.ofSeconds(5))
              .startTimeout(Duration.ofSeconds(10))
              .observer(counts)
              .connect(cluster.primaries().get(0).url())) {
        RateLimiter limiter = RateLimiter.on(store, "x", Limit.perDay(1).burst(BURST));
        assertThat(limiter.take(cluster.keyAt(1, 0)).degraded()).isTrue();
        assertThat(counts.failures.get(0)).hasMessageContaining("redis-cluster://");
      }
    }
  }
}
