package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs two services on one Redis, which fails and recovers. */
@Tag("full")
class TwoServersIT {
  private static final int BURST = 100;
  private static final int CALLERS = 16;
  private static final int CALLS = 20;

  @TempDir Path folder;

  @Test
  void serve_twoOnOneRedis_shareTheLimitBeforeAndAfterAnOutage() throws Exception {
    String policy = writePolicy();
    try (RedisProcess redis = RedisProcess.start();
        Service one = service(policy, redis);
        Service two = service(policy, redis)) {
      awaitDegraded(false, one, two);
      assertThat(allowed("before", one, two)).isEqualTo(BURST);

      redis.kill();
      awaitDegraded(true, one, two);
      assertThat(one.check(request("during"))).contains("\"allowed\":true", "\"degraded\":true");
      assertThat(allowed("during", one, two)).isEqualTo(CALLERS * CALLS);
      assertThat(one.admin("/livez").statusCode()).isEqualTo(200);
      assertThat(one.admin("/readyz").statusCode()).isEqualTo(200);

      redis.restart();
      long millis = awaitDegraded(false, one, two);
      System.out.println("exact again " + millis + " ms after the restart of Redis");
      assertThat(allowed("after", one, two)).isEqualTo(BURST);
      assertThat(two.check(request("after"))).contains("\"allowed\":false", "\"degraded\":false");
    }
  }

  private String writePolicy() throws IOException {
    return Files.writeString(
            folder.resolve("policy.yaml"),
            "{name: user, limit_keys: [user_id], rate: 1/h, burst: "
                + BURST
                + ", consistency: exact, on_store_failure: open}\n")
        .toString();
  }

  private Service service(String policy, RedisProcess redis) {
    // On a busy machine, a response may take longer than the default deadline.
    return Service.start(
        folder, "--policy", policy, "--redis", redis.url(), "--redis-deadline-ms", "5000");
  }

  /**
   * Waits for a state. Services detect the state of their store by requests, so this sends some.
   */
  private static long awaitDegraded(boolean degraded, Service... services) {
    long start = System.nanoTime();
    await("degraded: " + degraded)
        .until(
            () ->
                Stream.of(services)
                    .allMatch(
                        service ->
                            service.check(request("anybody")).contains("\"degraded\":" + degraded)
                                && service.isDegraded() == degraded));
    return (System.nanoTime() - start) / 1_000_000;
  }

  private static String request(String user) {
    return "{\"attributes\":{\"user_id\":\"" + user + "\"}}";
  }

  /**
   * Sends {@link #CALLERS} × {@link #CALLS} requests of a user and returns how many are allowed.
   */
  private static int allowed(String user, Service... services) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try {
      List<Future<Integer>> counts = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        Service service = services[i % services.length];
        counts.add(callers.submit(() -> allowed(user, service)));
      }
      int allowed = 0;
      for (Future<Integer> count : counts) {
        allowed += count.get(60, TimeUnit.SECONDS);
      }
      return allowed;
    } finally {
      callers.shutdownNow();
    }
  }

  private static int allowed(String user, Service service) {
    int allowed = 0;
    for (int i = 0; i < CALLS; i++) {
      allowed += service.check(request(user)).contains("\"allowed\":true") ? 1 : 0;
    }
    return allowed;
  }
}
