package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisURI;
import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.RateLimiter;
import io.penstock.StoreOptions;
import io.penstock.testing.Ports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stores on a Redis with TLS. */
@Tag("full")
class TlsIT {
  private static final Limit LIMIT = Limit.perHour(1).burst(3);
  private static final StoreOptions CLOSED =
      new StoreOptions(FailurePolicy.CLOSED, Consistency.EXACT);

  private final int port = Ports.free();
  private final String url = "rediss://127.0.0.1:" + port;
  private ServerCertificate certificate;
  private RedisProcess redis;

  @BeforeEach
  void start(@TempDir Path folder) throws Exception {
    try (RedisProcess plain = RedisProcess.start()) {
      assumeTrue(plain.knowsTls(), "skipped: this redis-server was built without TLS");
    }
    certificate = new ServerCertificate(folder);
    redis = certificate.startServer(port);
  }

  @AfterEach
  void stop() {
    ServerCertificate.trustAsUsual();
    if (redis != null) {
      redis.close();
    }
  }

  private static RedisStore store(String url) {
    return RedisStore.builder().deadline(Duration.ofSeconds(10)).connect(RedisURI.create(url));
  }

  private static void assertLimits(RedisStore store) {
    await("available").until(store::isAvailable);
    RateLimiter limiter = RateLimiter.on(store, "x", LIMIT, CLOSED);
    for (int i = 0; i < 5; i++) {
      var decision = limiter.take("k");
      assertThat(decision.degraded()).isFalse();
      assertThat(decision.allowed()).isEqualTo(i < 3);
    }
  }

  @Test
  void connect_certificateIsTrusted_limits() {
    certificate.trust();
    try (RedisStore store = store(url)) {
      assertLimits(store);
    }
  }

  @Test
  void connect_redisComesBack_limitsAgain() {
    certificate.trust();
    try (RedisStore store = store(url)) {
      assertLimits(store);
      redis.kill();
      RateLimiter others = RateLimiter.on(store, "others", LIMIT, CLOSED);
      await("degraded").until(() -> others.take("k").degraded());
      redis.restart();
      assertLimits(store);
    }
  }

  @Test
  void connect_filesOfTheSettings_areUsed() {
    redis.close();
    redis = certificate.startServer(port, "yes");
    Optional<Path> file = Optional.of(certificate.certificateFile());
    RedisTls tls = new RedisTls(file, file, Optional.of(certificate.keyFile()), false);
    try (RedisStore store =
        RedisStore.builder()
            .deadline(Duration.ofSeconds(10))
            .tls(tls)
            .connect("rediss://localhost:" + port)) {
      assertLimits(store);
    }
    RedisTls verifying = new RedisTls(tls.ca(), tls.certificate(), tls.key(), true);
    try (RedisStore store =
        RedisStore.builder().tls(verifying).connect("rediss://localhost:" + port)) {
      assertThat(store.isAvailable()).isFalse();
    }
    RedisTls anonymous = new RedisTls(tls.ca(), Optional.empty(), Optional.empty(), false);
    try (RedisStore store =
        RedisStore.builder().tls(anonymous).connect("rediss://localhost:" + port)) {
      assertThat(store.isAvailable()).isFalse();
    }
  }

  @Test
  void connect_certificateIsNotTrusted_isUnavailable() {
    try (RedisStore store = store(url)) {
      assertThat(store.isAvailable()).isFalse();
      assertThat(RateLimiter.on(store, "x", LIMIT, CLOSED).take("k").degraded()).isTrue();
    }
  }

  @Test
  void connect_certificateIsForAnotherHost_isUnavailable() {
    certificate.trust();
    try (RedisStore store = store("rediss://localhost:" + port)) {
      assertThat(store.isAvailable()).isFalse();
    }
  }

  @Test
  void connect_peerIsNotVerified_limits() {
    try (RedisStore store = store(url + "?verifyPeer=NONE")) {
      assertLimits(store);
    }
  }
}
