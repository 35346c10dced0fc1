package io.penstock.bench.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;

/**
 * A process with a limiter and callers, as one node of an application is. It does what each line of
 * its input says and answers with a line:
 *
 * <pre>
 * ask WORKLOAD callers millis    the tally
 * fill WORKLOAD callers times    the tally, when each caller has asked so often
 * first                          when, in epoch milliseconds, it began to ask for the hot key once
 * until epochMillis callers      the tally of the hot key; answers that came later are none
 * </pre>
 */
final class Node {
  private final SharedLimiter limiter;

  private Node(SharedLimiter limiter) {
    this.limiter = limiter;
  }

  public static void main(String[] args) {
    // What clients log while they connect and close is no finding.
    LogManager.getLogManager().reset();
    try (SharedLimiter limiter =
        RedisContender.valueOf(args[0]).open(args[2], Terms.valueOf(args[1]))) {
      new Node(limiter).obeyAll();
    } catch (Exception failed) {
      failed.printStackTrace();
      // What clients leave running must not keep the process.
      System.exit(1);
    }
    System.exit(0);
  }

  private void obeyAll() throws Exception {
    var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String order;
    while ((order = orders.readLine()) != null) {
      System.out.println(obey(order.split(" ", -1)));
    }
  }

  private String obey(String[] words)
      throws IOException, InterruptedException, ExecutionException, GaveUpException {
    return switch (words[0]) {
      case "ask" -> {
        long most = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[3]));
        yield ask(words, (asked, nanos) -> nanos >= most);
      }
      case "fill" -> {
        long times = Long.parseLong(words[3]);
        yield ask(words, (asked, nanos) -> asked == times);
      }
      case "first" -> first();
      case "until" -> until(Long.parseLong(words[1]), Integer.parseInt(words[2]));
      default -> throw new IOException("unknown order: " + words[0]);
    };
  }

  private String ask(String[] words, Crowd.End end)
      throws InterruptedException, ExecutionException {
    Workload workload = Workload.valueOf(words[1]);
    return new Crowd(limiter).ask(workload, Integer.parseInt(words[2]), end).toLine();
  }

  private String first() throws GaveUpException {
    long before = System.currentTimeMillis();
    if (!limiter.tryAcquire(Workload.HOT_KEY.keysOf(0, 1)[0])) {
      throw new IllegalStateException("a full bucket denied");
    }
    return "" + before;
  }

  private String until(long epochMillis, int callers)
      throws InterruptedException, ExecutionException {
    return new Crowd(new TimelyLimiter(limiter, epochMillis))
        .ask(Workload.HOT_KEY, callers, (asked, nanos) -> System.currentTimeMillis() > epochMillis)
        .toLine();
  }
}
