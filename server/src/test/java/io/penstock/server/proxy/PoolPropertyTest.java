package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * No byte of one exchange ever reaches another, whatever origins and clients do. Every byte that
 * either side sends names its exchange, and both sides check everything that they receive.
 *
 * <p>{@code penstock.pool.exchanges} sets the number of exchanges, and {@code penstock.pool.seed}
 * repeats the plans of a run.
 */
final class PoolPropertyTest {
  private static final long EXCHANGES = Long.getLong("penstock.pool.exchanges", 4_000);
  private static final long SEED = Long.getLong("penstock.pool.seed", System.nanoTime());
  private static final int CLIENTS = 8;
  private static final String POLICY =
      """
      rules:
        - {name: all, limit_keys: [], rate: 1000000/s, burst: 1000000000}
      """;

  @TempDir private Path folder;

  @Test
  void exchangesOverSharedConnections_neverMix() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    PoolTally tally = new PoolTally(SEED);
    try (PoolOrigin origin = new PoolOrigin(tally);
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                POLICY,
                origin.url(),
                Map.of(
                    // Fewer than clients, so that exchanges wait for connections.
                    Setting.UPSTREAM_CONNECTIONS,
                    "6",
                    Setting.UPSTREAM_CONNECTIONS_PER_CLIENT,
                    "6",
                    Setting.UPSTREAM_QUEUE_MS,
                    "60000"))) {
      List<Future<Void>> running = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Callable<Void> client = new PoolClient(proxy.port(), tally, SEED + i, EXCHANGES / CLIENTS);
        running.add(threads.submit(client));
      }
      for (Future<Void> client : running) {
        client.get();
      }
    } finally {
      threads.shutdownNow();
    }
    System.out.println("PoolPropertyTest: " + tally);
    assertThat(tally.violations()).as(tally.toString()).isEmpty();
    assertThat(tally.sent()).isGreaterThanOrEqualTo(EXCHANGES / CLIENTS * CLIENTS);
    // Faults affect the exchanges that have them, and few others.
    assertThat(tally.whole()).as(tally.toString()).isGreaterThan(tally.sent() / 2);
  }
}
