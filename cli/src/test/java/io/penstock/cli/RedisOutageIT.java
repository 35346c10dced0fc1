package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.redis.RedisProcess;
import io.penstock.testing.Ports;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first line of the log names what is wrong with the Redis settings. */
@Tag("full")
class RedisOutageIT {
  private static final String CONSEQUENCE = "; rules fall back to their on_store_failure policy";

  @TempDir Path folder;

  private Service start(String url, String... args) {
    String[] all = new String[args.length + 2];
    all[0] = "--redis";
    all[1] = url;
    System.arraycopy(args, 0, all, 2, args.length);
    return Service.start(folder, all);
  }

  private static void assertFirstLine(Service service, String text) {
    String line = service.process().err().lines().findFirst().orElse("");
    System.out.println(line);
    assertThat(line).contains(text).contains(CONSEQUENCE).contains("WARN");
    assertThat(service.admin("/readyz").body()).contains(text);
  }

  @Test
  void serve_passwordWrong_isNamedInTheFirstLine() {
    try (RedisProcess redis = RedisProcess.start("--requirepass", "topsecret");
        Service service = start(redis.url().replace("//", "//alice:guessed@"))) {
      String address = redis.url().substring("redis://".length());

      assertFirstLine(service, "Cannot connect to Redis at " + address + " (WRONGPASS: ");
      assertThat(service.process().err()).doesNotContain("alice", "guessed");
      assertThat(service.metric("penstock_store_unavailable{reason=\"wrongpass\"}")).isEqualTo(1);
    }
  }

  @Test
  void serve_hostWrong_isNamedInTheFirstLine() {
    try (Service service = start("redis://redis.invalid:6379")) {
      assertFirstLine(
          service,
          "Cannot connect to Redis at redis.invalid:6379 (UNKNOWN_HOST: the host name can't be"
              + " resolved)");
    }
  }

  @Test
  void serve_tlsToAServerWithoutTls_isNamedInTheFirstLine() {
    try (RedisProcess redis = RedisProcess.start();
        Service service =
            start(redis.url().replace("redis:", "rediss:"), "--redis-start-timeout-ms", "2000")) {
      String address = redis.url().substring("redis://".length());

      assertFirstLine(service, "Cannot connect to Redis at " + address + " (TLS_TIMEOUT: ");
    }
  }

  @Test
  void serve_certificateNotTrusted_isNamedInTheFirstLine() throws Exception {
    try (RedisProcess plain = RedisProcess.start()) {
      assumeTrue(plain.knowsTls(), "skipped: this redis-server was built without TLS");
    }
    SelfSigned own = SelfSigned.make(folder, "redis", "EC");
    int port = Ports.free();
    try (RedisProcess redis =
            RedisProcess.start(
                "--tls-port",
                "" + port,
                "--tls-cert-file",
                own.certificate().toString(),
                "--tls-key-file",
                own.key().toString(),
                "--tls-auth-clients",
                "no");
        Service service = start("rediss://127.0.0.1:" + port)) {
      assertThat(redis.url()).isNotEmpty();
      assertFirstLine(service, "Cannot connect to Redis at 127.0.0.1:" + port + " (TLS: ");
      assertThat(service.admin("/readyz").body()).contains("certification path");
    }
  }

  @Test
  void serve_redisFailsAndRecovers_logsBoth() {
    try (RedisProcess redis = RedisProcess.start();
        Service service = start(redis.url(), "--redis-deadline-ms", "5000")) {
      redis.kill();
      await("outage").until(() -> service.process().err().contains("(CONNECTION_REFUSED: "));
      redis.restart();
      await("recovery")
          .until(
              () -> {
                String log = service.process().err();
                return log.lastIndexOf("is available again") > log.indexOf("(CONNECTION_REFUSED: ");
              });
      assertThat(service.isDegraded()).isFalse();
    }
  }
}
