package io.penstock.bench.http;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the filters cost an application of Spring MVC, beside the same without them. */
public final class SpringPart {
  private static final String NOTES =
      """
      The sample application on Spring Boot 4, its security left out, answers a GET by a controller
      that returns a word; Tomcat and the actuator are as Spring Boot sets them up. With Penstock, each
      request is allowed by a rule on its address, counted in the application's registry, and answered
      with five RateLimit headers; with penstock.headers=none it is answered as without Penstock, which
      tells the cost of a decision from that of headers, to Tomcat and to who reads them. Four
      processes each; wrk asks with one thread over 32 connections and shares the cores.
      """;

  /**
   * How fast such an application is depends on how its code happens to be compiled, by some percent
   * from process to process, so there are several.
   */
  private static final int PROCESSES = 4;

  private static final int ROUNDS = 5;

  /** In rounds: an application like this takes a minute until nearly all of it is compiled. */
  private static final int WARM_UP = 12;

  private static final String LIMITED = "with Penstock";
  private static final String QUIET = "with Penstock, no headers";
  private static final String PLAIN = "without";

  /** A method of the application names this rule; no request asks for it. */
  private static final String EXPORT =
      "  - {name: export, limit_keys: [shop], rate: 1/s, manual: true}\n";

  private static final String NO_SECURITY =
      "--spring.autoconfigure.exclude="
          + String.join(
              ",",
              "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
              "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
              "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
              "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
              "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration");

  private SpringPart() {}

  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    Path policy = Files.createTempFile("penstock", ".yaml");
    policy.toFile().deleteOnExit();
    Files.writeString(policy, Terms.GENEROUS.policy + EXPORT);
    int processes = quick ? 1 : PROCESSES;
    try (Contest contest = new Contest(quick ? 2 : ROUNDS, quick ? 2 : 5, WARM_UP)) {
      for (int process = 0; process < processes; process++) {
        enter(contest, LIMITED, "--penstock.policy=" + policy);
        enter(contest, QUIET, "--penstock.policy=" + policy, "--penstock.headers=none");
        enter(contest, PLAIN, "--penstock.enabled=false");
        if (process == 0) {
          contest.expect(processes, 0);
        }
        contest.run();
        contest.endServers();
      }
      return new Findings(
          List.of(contest.table("answers of an application")),
          NOTES,
          Stream.of(ratio(contest, "overhead", LIMITED), ratio(contest, "no-headers", QUIET))
              .flatMap(Optional::stream)
              .toList(),
          List.of(contest.plot("spring", "An application of Spring MVC")));
    }
  }

  private static void enter(Contest contest, String which, String... settings)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("--sample.security=false");
    all.add(NO_SECURITY);
    contest.enter(
        which, Question.CONTROLLER, contest.own(ServerProcess.sample(all.toArray(String[]::new))));
  }

  private static Optional<Ratio> ratio(Contest contest, String name, String which) {
    return contest.ratio("spring.mvc." + name, Question.CONTROLLER, which, PLAIN);
  }
}
