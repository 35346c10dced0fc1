package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisProcess;
import io.penstock.testing.Ports;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sends requests to a service from the moment its process starts until ten seconds after its first
 * response. On an idle machine, decisions have the default deadline; on a busy one, a deadline that
 * only a cold start misses. If another process takes the CPU in the meantime, a few decisions may
 * be degraded. With the system property {@code penstock.coldstart.idle=true}, which states that the
 * machine is idle, the deadline is always the default and no decision may be degraded.
 */
@Tag("full")
class ColdStartIT {
  private static final int CALLERS = 2;
  private static final Duration LOAD = Duration.ofSeconds(10);
  private static final long PAUSE_NANOS = 1_000_000;

  /** If a sleeping thread wakes up later than this, a decision can miss the default deadline. */
  private static final long STARVED_NANOS = 15_000_000;

  private static final double MAX_STARVED_SHARE = 0.01;
  private static final String BUSY_DEADLINE_MILLIS = "1000";
  private static final boolean IDLE = Boolean.getBoolean("penstock.coldstart.idle");

  @TempDir Path folder;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final int port = Ports.free();
  private final int adminPort = Ports.free();
  private final AtomicInteger answeredBeforeReady = new AtomicInteger();
  private final AtomicInteger starting = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicLong firstNanos = new AtomicLong();
  private final AtomicLong maxLagNanos = new AtomicLong();

  @Test
  void serve_underLoadFromTheStart_answersWhenReadyAndNeverDegraded() throws Exception {
    Path policy =
        Files.writeString(
            folder.resolve("policy.yaml"),
            """
            rules:
              - {name: client, limit_keys: ["ip:address"], rate: 1000000/s, burst: 1000000}
              - {name: all, limit_keys: [], rate: 1000000/s, burst: 1000000}
            """);
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS + 1);
    try (RedisProcess redis = RedisProcess.start();
        JarRun service = start(policy, redis)) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        boolean forwardAuth = i % 2 == 0;
        calls.add(callers.submit(() -> load(service, forwardAuth)));
      }
      Future<?> watch = callers.submit(this::watchTheMachine);
      for (Future<?> call : calls) {
        call.get(5, TimeUnit.MINUTES);
      }
      watch.cancel(true);
      String metrics = send(request(adminPort, "/metrics")).body();
      System.out.println("first response to a request: " + firstNanos.get() / 1_000_000 + " ms");
      assertThat(answeredBeforeReady).hasValue(0);
      assertThat(starting).as("/livez is 200 while /readyz is 503").hasPositiveValue();
      double decisions = sum(metrics, "penstock_decisions_total");
      assertThat(decisions).as("two rules").isEqualTo(2 * answered.get());
      assertDegraded(service, metrics, decisions);
    } finally {
      callers.shutdownNow();
    }
  }

  private void assertDegraded(JarRun service, String metrics, double decisions) {
    double degraded = sum(metrics, "penstock_degraded_total");
    System.out.printf(
        "%.0f decisions, %.0f degraded; machine late by up to %.1f ms%n",
        decisions, degraded, maxLagNanos.get() / 1e6);
    if (maxLagNanos.get() > STARVED_NANOS && !IDLE) {
      assertThat(degraded).isLessThanOrEqualTo(MAX_STARVED_SHARE * decisions);
      return;
    }
    assertThat(degraded).isZero();
    assertThat(sum(metrics, "penstock_store_degraded_total")).isZero();
    assertThat(service.err()).doesNotContain("WARN", "ERROR");
  }

  /** Measures how much later than scheduled a thread wakes up while the service is ready. */
  private void watchTheMachine() {
    while (!Thread.currentThread().isInterrupted()) {
      long start = System.nanoTime();
      LockSupport.parkNanos(PAUSE_NANOS);
      if (answered.get() > 0) {
        maxLagNanos.accumulateAndGet(System.nanoTime() - start - PAUSE_NANOS, Math::max);
      }
    }
  }

  private JarRun start(Path policy, RedisProcess redis) {
    List<String> args = new ArrayList<>(List.of("serve", "--policy=" + policy));
    args.addAll(List.of("--host=127.0.0.1", "--port=" + port, "--admin-port=" + adminPort));
    args.addAll(List.of("--redis=" + redis.url(), "--upstream=http://127.0.0.1:1"));
    args.addAll(List.of("--proxy-host=127.0.0.1", "--proxy-port=0"));
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    if (load > Runtime.getRuntime().availableProcessors() / 2.0 && !IDLE) {
      System.out.println("busy (load " + load + "): the deadline is " + BUSY_DEADLINE_MILLIS);
      args.add("--redis-deadline-ms=" + BUSY_DEADLINE_MILLIS);
    }
    return JarRun.start(folder, args);
  }

  /** Sends requests until the first response, and for {@link #LOAD} after it. */
  private void load(JarRun service, boolean forwardAuth) {
    HttpRequest.Builder request =
        forwardAuth
            ? request(port, "/v1/forward-auth").header("X-Original-URI", "/search")
            : request(port, "/v1/check").POST(BodyPublishers.ofString("{\"ip\":\"192.0.2.1\"}"));
    boolean first = true;
    long end = Long.MAX_VALUE;
    while (first || System.nanoTime() - end < 0) {
      if (first) {
        assertThat(service.isAlive()).as(service.err()).isTrue();
        countStarting();
      }
      long startNanos = System.nanoTime();
      HttpResponse<String> response = trySend(request);
      if (response == null) {
        continue;
      }
      answered.incrementAndGet();
      if (first) {
        first = false;
        end = System.nanoTime() + LOAD.toNanos();
        firstNanos.accumulateAndGet(System.nanoTime() - startNanos, Math::max);
        answeredBeforeReady.addAndGet(isReady() ? 0 : 1);
      }
      assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    }
  }

  private void countStarting() {
    HttpResponse<String> ready = trySend(request(adminPort, "/readyz"));
    HttpResponse<String> live = trySend(request(adminPort, "/livez"));
    if (live != null && ready != null && ready.statusCode() == 503) {
      assertThat(live.statusCode()).isEqualTo(200);
      starting.incrementAndGet();
    }
  }

  private boolean isReady() {
    return send(request(adminPort, "/readyz")).statusCode() == 200;
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    HttpResponse<String> response = trySend(request);
    assertThat(response).isNotNull();
    return response;
  }

  /** Returns null if the connection is refused. */
  private HttpResponse<String> trySend(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), BodyHandlers.ofString());
    } catch (java.net.ConnectException refused) {
      return null;
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static double sum(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
