package io.penstock.server.figures;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.NanoClock;
import io.penstock.Reason;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Mode;
import io.penstock.policy.Outcome;
import io.penstock.policy.Request;
import io.penstock.policy.Rule;
import io.penstock.server.database.RecentViolations;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/**
 * Denies requests with made-up keys under many rules, in a JVM with a small heap. Prints the
 * figures that {@link FigureFloodTest} checks.
 */
final class FigureFlood {
  private static final int THREADS = 2;
  private static final Limit LIMIT = Limit.perDay(1);

  private FigureFlood() {}

  public static void main(String[] args) throws InterruptedException {
    int keys = Integer.parseInt(args[0]);
    List<Rule> rules =
        IntStream.range(0, Integer.parseInt(args[1]))
            .mapToObj(
                i ->
                    Rule.builder("rule" + i)
                        .limitKeys(List.of(KeyPart.parse("user_id")))
                        .limits(List.of(LIMIT))
                        .build())
            .toList();
    try (FigureSampler sampler = new FigureSampler()) {
      TopDenied top = new TopDenied(NanoClock.system(), Clock.systemUTC(), sampler);
      RecentViolations violations = new RecentViolations(KeyPart.parse("user_id"));
      sampler.add(top::drain);
      sampler.add(violations::collect);
      sampler.start();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        SplittableRandom random = new SplittableRandom(t);
        threads.add(
            new Thread(
                () -> {
                  for (int i = 0; i < keys / THREADS; i++) {
                    String user = "made-up-" + Long.toHexString(random.nextLong());
                    deny(rules.get(i % rules.size()), user, top, violations);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      CountDownLatch drained = new CountDownLatch(1);
      sampler.execute(drained::countDown);
      drained.await();
      System.out.println("denied=" + top.total());
      System.out.println("counted=" + (top.top(1).denied() + top.uncounted()));
      System.out.println("tracked=" + top.size());
      System.out.println("used=" + usedBytes());
    }
  }

  private static void deny(Rule rule, String user, TopDenied top, RecentViolations violations) {
    Request request = ExplicitRequest.builder().path("/").attribute("user_id", user).build();
    Outcome denial =
        new Outcome(
            rule,
            Mode.ENFORCE,
            "user_id=" + user,
            1_000,
            Decision.deny(rule.name(), LIMIT, Reason.TOKEN_BUCKET_EXCEEDED));
    top.denied(request, denial);
    violations.denials().denied(request, denial);
  }

  private static long usedBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }
}
