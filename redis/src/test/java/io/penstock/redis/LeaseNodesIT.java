package io.penstock.redis;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Limit;
import io.penstock.RateLimiter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three processes with uneven load lease one key. One is killed, and one is paused for longer than
 * its lease and resumed: together they never get more than the limit.
 */
@Tag("full")
class LeaseNodesIT {
  private final RedisProcess redis = RedisProcess.start();
  private final List<Node> nodes = new ArrayList<>();

  /** A grant; it took effect between the request and the response. */
  private record Grant(long sent, long received) {}

  private static final class Node {
    private final Process process;
    private final Queue<Grant> grants = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    Node(String url, int callers, Duration pause) {
      try {
        this.process =
            new ProcessBuilder(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx64m",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    LeaseNode.class.getName(),
                    url,
                    "" + callers,
                    "" + pause.toNanos())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      Thread reader = new Thread(this::read);
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader lines = process.inputReader(UTF_8)) {
        String line;
        while ((line = lines.readLine()) != null) {
          closed |= line.equals("closed");
          String[] words = line.split(" ", -1);
          if (words.length == 2) {
            grants.add(new Grant(Long.parseLong(words[0]), Long.parseLong(words[1])));
          }
        }
      } catch (IOException ended) {
        closed = true;
      }
    }

    void signal(String name) throws Exception {
      int status = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
      assertThat(status).isZero();
    }

    long last() {
      return grants.stream().mapToLong(Grant::received).max().orElse(0);
    }
  }

  @AfterEach
  void stop() {
    nodes.forEach(node -> node.process.destroyForcibly());
    redis.close();
  }

  private static void awaitGrants(String what, Node node, long moreMicros) {
    long until = LeaseNode.micros() + moreMicros;
    await(what).until(() -> node.last() > until);
  }

  @Test
  void threeNodes_oneKilledAndOneStoppedAndResumed_stayWithinTheLimit() throws Exception {
    // Less than available, so that they hold leases when they are paused and killed.
    Node stopped = node(2, Duration.ofMillis(10));
    Node killed = node(1, Duration.ofMillis(10));
    nodes.forEach(node -> await("started").until(() -> node.grants.size() > 200));
    stopped.signal("STOP");
    long stop = LeaseNode.micros();
    killed.signal("KILL");
    awaitFull();
    // More than available: every further grant would exceed the limit.
    Node busy = node(8, Duration.ofNanos(200_000));
    await("started").until(() -> !busy.grants.isEmpty());
    awaitGrants("longer than a lease", busy, 1_500_000);
    long resume = LeaseNode.micros();
    stopped.signal("CONT");
    awaitGrants("and on", busy, 1_000_000);
    await("granted after it was resumed").until(() -> stopped.last() > resume + 200_000);
    busy.process.getOutputStream().close();
    stopped.process.getOutputStream().close();
    await("closed").until(() -> busy.closed && stopped.closed);
    List<Grant> all = new ArrayList<>();
    nodes.forEach(node -> all.addAll(node.grants));
    System.out.printf(
        "granted: busy %d, stopped %d, killed %d%n",
        busy.grants.size(), stopped.grants.size(), killed.grants.size());
    check(all);
    assertThat(stopped.grants)
        .as("none while it was paused")
        .noneMatch(grant -> grant.sent > stop + 100_000 && grant.received < resume);
    awaitFull();
  }

  /** No leased tokens stay missing. */
  private void awaitFull() {
    try (RedisStore store = RedisStore.connect(redis.url())) {
      RateLimiter level =
          RateLimiter.on(store, "shared", Limit.perSecond(LeaseNode.RATE).burst(LeaseNode.BURST));
      await("full").until(() -> level.peek("k").remaining() == LeaseNode.BURST);
    }
  }

  private Node node(int callers, Duration pause) {
    Node node = new Node(redis.url(), callers, pause);
    nodes.add(node);
    return node;
  }

  /** P1: the grants that are certainly within an interval are at most burst + rate × its length. */
  private static void check(List<Grant> all) {
    all.sort(Comparator.comparingLong(Grant::received));
    long most = Long.MIN_VALUE;
    for (Grant first : all) {
      long within = 0;
      for (Grant grant : all) {
        if (grant.sent >= first.sent) {
          within++;
          double allowed = LeaseNode.BURST + LeaseNode.RATE * (grant.received - first.sent) / 1e6;
          assertThat((double) within)
              .as("from %s to %s", first.sent, grant.received)
              .isLessThanOrEqualTo(allowed);
          most = Math.max(most, (long) (1_000 * within / allowed));
        }
      }
    }
    System.out.printf("%d grants, at most %.1f %% of what may be%n", all.size(), most / 10.0);
    // Otherwise the test would not show anything.
    assertThat(most).isGreaterThan(900);
  }
}
