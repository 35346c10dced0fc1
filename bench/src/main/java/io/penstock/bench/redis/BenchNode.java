package io.penstock.bench.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;

/**
 * A process with a limiter and callers, like one node of an application. It executes each line of
 * its input and prints one line of output:
 *
 * <pre>
 * ask WORKLOAD callers millis    the tally
 * time WORKLOAD callers millis   the same, with the latency of each request
 * fill WORKLOAD callers times    the tally, when each caller has sent that many requests
 * first                          sends one request for the hot key; its start in epoch milliseconds
 * until epochMillis callers      the tally of the hot key; later responses do not count
 * spend epochMillis callers      the same; later responses count, but no request is sent later
 * drain                          requests the hot key until it is denied; the number of grants
 * </pre>
 */
final class BenchNode {
  private final SharedLimiter limiter;

  private BenchNode(SharedLimiter limiter) {
    this.limiter = limiter;
  }

  public static void main(String[] args) {
    // Silences the logs of clients.
    LogManager.getLogManager().reset();
    try (SharedLimiter limiter =
        RedisContender.valueOf(args[0]).open(args[2], RedisLimits.valueOf(args[1]))) {
      new BenchNode(limiter).executeAll();
    } catch (Exception failed) {
      failed.printStackTrace();
      // Threads that clients leave running must not keep the process alive.
      System.exit(1);
    }
    System.exit(0);
  }

  private void executeAll() throws Exception {
    var commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String command;
    while ((command = commands.readLine()) != null) {
      System.out.println(execute(command.split(" ", -1)));
    }
  }

  private String execute(String[] words)
      throws IOException, InterruptedException, ExecutionException, GaveUpException {
    return switch (words[0]) {
      case "ask", "time" -> {
        long maxNanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(words[3]));
        Crowd crowd = new Crowd(limiter, words[0].equals("time"));
        yield ask(crowd, words, (sent, nanos) -> nanos >= maxNanos);
      }
      case "fill" -> {
        long times = Long.parseLong(words[3]);
        yield ask(new Crowd(limiter, false), words, (sent, nanos) -> sent == times);
      }
      case "first" -> first();
      case "until" -> {
        long deadline = Long.parseLong(words[1]);
        yield until(new TimelyLimiter(limiter, deadline), deadline, Integer.parseInt(words[2]));
      }
      case "spend" -> until(limiter, Long.parseLong(words[1]), Integer.parseInt(words[2]));
      case "drain" -> drain();
      default -> throw new IOException("unknown command: " + words[0]);
    };
  }

  private static String ask(Crowd crowd, String[] words, Crowd.End end)
      throws InterruptedException, ExecutionException {
    Workload workload = Workload.valueOf(words[1]);
    return crowd.ask(workload, Integer.parseInt(words[2]), end).toLine();
  }

  private String first() throws GaveUpException {
    long before = System.currentTimeMillis();
    if (!limiter.tryAcquire(Workload.HOT_KEY.keysOf(0, 1)[0])) {
      throw new IllegalStateException("a full bucket denied a request");
    }
    return "" + before;
  }

  private String drain() throws GaveUpException {
    String key = Workload.HOT_KEY.keysOf(0, 1)[0];
    long allowed = 0;
    while (limiter.tryAcquire(key)) {
      allowed++;
    }
    return "" + allowed;
  }

  private static String until(SharedLimiter limiter, long epochMillis, int callers)
      throws InterruptedException, ExecutionException {
    return new Crowd(limiter, false)
        .ask(Workload.HOT_KEY, callers, (sent, nanos) -> System.currentTimeMillis() > epochMillis)
        .toLine();
  }
}
