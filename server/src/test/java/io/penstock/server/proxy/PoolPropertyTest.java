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
 * either side sends names its exchange, and both sides check everything that they receive. Half of
 * the clients use HTTP/1.1, half use HTTP/2.
 *
 * <p>{@code penstock.pool.exchanges} sets the number of exchanges, and {@code penstock.pool.seed}
 * repeats the plans of a run.
 */
final class PoolPropertyTest {
  /** Half of the exchanges are with origins of each version. */
  private static final long EXCHANGES = Long.getLong("penstock.pool.exchanges", 4_000) / 2;

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
    PoolTally tally = new PoolTally(SEED);
    try (PoolOrigin origin = new PoolOrigin(tally)) {
      run(tally, origin.url(), false);
    }
  }

  @Test
  void exchangesOverSharedHttp2Connections_neverMix() throws Exception {
    PoolTally tally = new PoolTally(SEED);
    try (PoolHttp2Origin origin = new PoolHttp2Origin(tally, SEED)) {
      run(tally, origin.url(), true);
    }
  }

  private void run(PoolTally tally, String origin, boolean http2) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    try (ProxyFixture proxy =
        new ProxyFixture(
            folder,
            POLICY,
            origin,
            Map.of(
                Setting.UPSTREAM_HTTP2,
                Boolean.toString(http2),
                // Fewer than clients, so that exchanges wait for connections.
                Setting.UPSTREAM_CONNECTIONS,
                "6",
                Setting.UPSTREAM_CONNECTIONS_PER_CLIENT,
                "6",
                Setting.UPSTREAM_QUEUE_MS,
                "60000"))) {
      List<Future<Void>> running = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Callable<Void> client =
            i % 2 == 0
                ? new PoolClient(proxy.port(), tally, SEED + i, EXCHANGES / CLIENTS)
                : new PoolHttp2Client(proxy.port(), tally, SEED + i, EXCHANGES / CLIENTS);
        running.add(threads.submit(client));
      }
      for (Future<Void> client : running) {
        client.get();
      }
    } finally {
      threads.shutdownNow();
    }
    System.out.println("PoolPropertyTest, HTTP/" + (http2 ? "2: " : "1.1: ") + tally);
    assertThat(tally.violations()).as(tally.toString()).isEmpty();
    assertThat(tally.sent()).isGreaterThanOrEqualTo(EXCHANGES / CLIENTS * CLIENTS);
    // Faults affect the exchanges that have them, and few others.
    assertThat(tally.whole()).as(tally.toString()).isGreaterThan(tally.sent() / 2);
  }
}
