package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisURI;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreException;
import io.penstock.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An unavailable Redis is reported with its address and the reason. */
class OutageIT {
  private final Counts counts = new Counts();

  @AfterEach
  void trustAsUsual() {
    ServerCertificate.trustAsUsual();
  }

  /** Returns the first report; a definite failure is reported before the store is returned. */
  private RedisOutage report(String url) {
    try (RedisStore store = builder().connect(url)) {
      assertThat(store.isAvailable()).isFalse();
      assertThat(counts.outages).isNotEmpty();
      assertThat(store.outage()).isPresent();
      assertThat(counts.changes).isEmpty();
    }
    return counts.outages.get(0);
  }

  private RedisStoreBuilder builder() {
    return RedisStore.builder().observer(counts).deadline(Duration.ofSeconds(5));
  }

  private static String secured(int port, String credentials) {
    return "redis://" + credentials + "127.0.0.1:" + port;
  }

  @Test
  void connect_passwordMissing_reportsNoauth() {
    try (RedisProcess redis = RedisProcess.start("--requirepass", "topsecret")) {
      RedisOutage outage = report(secured(redis.port(), ""));

      assertThat(outage.reason()).isEqualTo(UnavailableReason.NOAUTH);
      assertThat(outage)
          .hasToString(
              "Cannot connect to Redis at 127.0.0.1:"
                  + redis.port()
                  + " (NOAUTH: the server requires a password, and none is configured)");
    }
  }

  @Test
  void connect_passwordWrong_reportsWrongpassWithoutThePassword() {
    try (RedisProcess redis = RedisProcess.start("--requirepass", "topsecret")) {
      RedisOutage outage = report(secured(redis.port(), "alice:guessed@"));

      assertThat(outage.reason()).isEqualTo(UnavailableReason.WRONGPASS);
      assertThat(outage.toString()).doesNotContain("alice", "guessed");
    }
  }

  @Test
  void connect_portWrong_reportsRefused() {
    int port = Ports.free();

    RedisOutage outage = report("redis://127.0.0.1:" + port);

    assertThat(outage.reason()).isEqualTo(UnavailableReason.CONNECTION_REFUSED);
    assertThat(outage.address()).isEqualTo("127.0.0.1:" + port);
  }

  @Test
  void connect_hostUnknown_reportsIt() {
    RedisOutage outage = report("redis://redis.invalid:6380");

    assertThat(outage.reason()).isEqualTo(UnavailableReason.UNKNOWN_HOST);
    assertThat(outage.toString()).startsWith("Cannot connect to Redis at redis.invalid:6380 (");
  }

  @Test
  void connect_sentinelsRefuse_reportsTheirAddresses() {
    RedisOutage outage = report("redis-sentinel://127.0.0.1:1,127.0.0.1:2/0#primary");

    assertThat(outage.reason()).isEqualTo(UnavailableReason.CONNECTION_REFUSED);
    assertThat(outage.address()).isEqualTo("127.0.0.1:1,127.0.0.1:2");
  }

  @Test
  void connect_clusterRefuses_reportsASeed() {
    RedisOutage outage = report("redis-cluster://127.0.0.1:1");

    assertThat(outage.reason()).isEqualTo(UnavailableReason.CONNECTION_REFUSED);
    assertThat(outage.address()).isEqualTo("127.0.0.1:1");
  }

  @Test
  void connect_serverAcceptsAndNeverResponds_reportsTimeout() throws IOException {
    try (ServerSocket hung = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        RedisStore store =
            builder()
                .startTimeout(Duration.ofMillis(1))
                .connect("redis://127.0.0.1:" + hung.getLocalPort())) {
      await("timeout: " + store.unavailableReason())
          .until(
              () ->
                  store
                      .outage()
                      .filter(outage -> outage.reason() == UnavailableReason.TIMEOUT)
                      .isPresent());
    }
  }

  @Test
  void connect_withTlsToAServerWithoutIt_reportsTheHandshake() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store =
            builder()
                .startTimeout(Duration.ofSeconds(1))
                .connect("rediss://127.0.0.1:" + redis.port())) {
      await("report").until(() -> !counts.outages.isEmpty());

      assertThat(counts.outages.get(0).reason()).isEqualTo(UnavailableReason.TLS_TIMEOUT);
      assertThat(store.unavailableReason())
          .startsWith("Cannot connect to Redis at 127.0.0.1:" + redis.port() + " (TLS_TIMEOUT: ")
          .contains("use redis://");
    }
  }

  @Test
  void connect_tlsServer_reportsAnUntrustedCertificateAndMissingTls(@TempDir Path folder)
      throws Exception {
    try (RedisProcess plain = RedisProcess.start()) {
      assumeTrue(plain.knowsTls(), "skipped: this redis-server was built without TLS");
    }
    ServerCertificate certificate = new ServerCertificate(folder);
    int port = Ports.free();
    try (RedisProcess redis = certificate.startServer(port)) {
      assertThat(redis.command("PING")).isEqualTo("+PONG");
      RedisOutage untrusted = report("rediss://127.0.0.1:" + port);
      assertThat(untrusted.reason()).isEqualTo(UnavailableReason.TLS);
      assertThat(untrusted.toString())
          .startsWith("Cannot connect to Redis at 127.0.0.1:" + port + " (TLS: ")
          .contains("certification path");

      counts.outages.clear();
      RedisOutage plain = report("redis://127.0.0.1:" + port);
      assertThat(plain.reason()).isEqualTo(UnavailableReason.CLOSED);
      assertThat(plain.toString()).contains("if it requires TLS, use rediss://");
    }
  }

  @Test
  void connect_failFastAndUnavailable_throwsTheReason() {
    assertThatThrownBy(() -> builder().failFast(true).connect("redis://127.0.0.1:1"))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("Cannot connect to Redis at 127.0.0.1:1 (CONNECTION_REFUSED: ");
    assertThat(counts.outages).as("reported by the exception").isEmpty();
  }

  @Test
  void noAttemptCompleted_namesTheAddressAndTheTimeout() {
    assertThat(RedisStore.noAttemptCompleted("redis:6379", Duration.ofSeconds(10)))
        .isEqualTo(
            "Cannot connect to Redis at redis:6379: no connection attempt was completed within"
                + " 10 s; this process may lack CPU time");
    assertThat(RedisStore.noAttemptCompleted("", Duration.ofMillis(250)))
        .startsWith("Cannot connect to Redis: ")
        .contains("within 0.25 s");
  }

  @Test
  void connect_failFastAndAvailable_isAvailable() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store =
            builder().failFast(true).startTimeout(Duration.ofMinutes(1)).connect(redis.url())) {
      assertThat(store.isAvailable()).isTrue();
    }
  }

  @Test
  void warmUp_available_changesNothing() {
    AtomicInteger sent = new AtomicInteger();
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store =
            builder()
                .callObserver(call -> sent.addAndGet(call.size()))
                .connect(RedisURI.create(redis.url()))) {
      store.warmUp();

      assertThat(sent).as("requests to Redis").hasPositiveValue();
      assertThat(store.isAvailable()).isTrue();
      assertThat(counts.calls).hasValue(0);
      List<String> keys = redis.with(commands -> commands.keys("*:warm-up:*"));
      assertThat(keys).isEmpty();

      RateLimiter.on(store, "x", Limit.perSecond(1)).take("k");
      assertThat(counts.calls).hasValue(1);
    }
  }

  @Test
  void store_redisFailsAndRecovers_reportsEachChangeOnce() {
    try (RedisProcess redis = RedisProcess.start();
        RedisStore store = builder().connect(redis.url())) {
      assertThat(counts.changes).containsExactly(true);

      redis.kill();
      await("refused")
          .until(
              () ->
                  counts.outages.stream()
                      .anyMatch(outage -> outage.reason() == UnavailableReason.CONNECTION_REFUSED));
      assertThat(counts.changes).containsExactly(true, false);
      assertThat(store.outage()).isPresent();

      redis.restart();
      await("available").until(store::isAvailable);
      await("reported").until(() -> counts.changes.size() == 3);
      assertThat(store.outage()).isEmpty();
    }
  }

  @Test
  void store_primaryBecomesReplica_reportsReadonly() {
    try (RedisProcess redis = RedisProcess.start();
        RedisProcess other = RedisProcess.start();
        RedisStore store = builder().connect(redis.url())) {
      redis.command("REPLICAOF", "127.0.0.1", "" + other.port());

      await("readonly")
          .until(
              () ->
                  store
                      .outage()
                      .filter(outage -> outage.reason() == UnavailableReason.READONLY)
                      .isPresent());
      assertThat(store.unavailableReason())
          .startsWith("Redis at 127.0.0.1:" + redis.port() + " is unavailable (READONLY: ");
    }
  }
}
