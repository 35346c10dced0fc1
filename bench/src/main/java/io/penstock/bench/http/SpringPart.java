package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import io.penstock.bench.report.RunLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** Measures the overhead of the filters in a Spring MVC application. */
public final class SpringPart {
  private static final String NOTES =
      """
      The sample application on Spring Boot 4, without Spring Security, responds to a GET with a
      controller that returns a word; Tomcat and the actuator have their default configuration. With
      Penstock, each request is allowed by a rule on its address, counted in the application's registry,
      and gets five RateLimit headers. overhead compares the application with and without Penstock, so it
      includes the cost of sending these headers. same-headers compares with the application without Penstock
      and with a small filter that sends five constant headers, and no-headers compares penstock.headers=none
      with the unchanged application. Six processes
      each; wrk uses one thread and as many connections as Tomcat has threads, 200, and shares the cores;
      docs/decisions/0011 explains why, and has the results for 32 connections.
      """;

  /**
   * The speed of such an application differs from process to process by some percent, because of
   * JIT compilation. Many processes average this out.
   */
  private static final int PROCESSES = 6;

  /** Many short rounds, so that slow phases of the machine affect all contenders. */
  private static final int ROUNDS = 5;

  private static final int SECONDS = 2;

  /**
   * The number of warm-up rounds, after which little of the application is still to be compiled.
   */
  private static final int WARM_UP = 24 / SECONDS;

  /**
   * The default number of Tomcat threads in Spring Boot. With fewer connections, the application
   * would not be saturated, and the wake-up of threads would affect the result.
   */
  private static final int CONNECTIONS = 200;

  private static final String LIMITED = "with Penstock";
  private static final String SAME_HEADERS = "without, same headers";
  private static final String QUIET = "with Penstock, no headers";
  private static final String PLAIN = "without";

  /** Methods of the application refer to these rules; the benchmark does not call them. */
  private static final String METHOD_RULES =
      """
        - {name: export, limit_keys: [shop], rate: 1/s, manual: true}
        - {name: drafts, limit_keys: [user_id], rate: 1/s, manual: true}
      """;

  private static final String NO_SECURITY =
      "--spring.autoconfigure.exclude="
          + String.join(
              ",",
              "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration",
              "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration",
              "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration",
              "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration",
              "org.springframework.boot.security.autoconfigure.actuate.web.servlet.ManagementWebSecurityAutoConfiguration");

  /** The default of Spring Boot: each endpoint costs every request a little. */
  private static final String EXPOSED = "--management.endpoints.web.exposure.include=health";

  private static final int HEADERS = 5;

  private SpringPart() {}

  public static Findings measure(boolean quick, RunLog log)
      throws IOException, InterruptedException {
    Path policy = Files.createTempFile("penstock", ".yaml");
    policy.toFile().deleteOnExit();
    Files.writeString(policy, HttpPolicy.GENEROUS.policy + METHOD_RULES);
    int processes = quick ? 1 : PROCESSES;
    try (HttpContest contest =
        new HttpContest(quick ? 2 : ROUNDS, SECONDS, quick ? 10 : WARM_UP, CONNECTIONS, log)) {
      for (int process = 0; process < processes; process++) {
        ServerProcess limited = enter(contest, LIMITED, List.of(), "--penstock.policy=" + policy);
        enter(
            contest,
            SAME_HEADERS,
            SameHeaders.options(added(limited)),
            "--penstock.enabled=false",
            "--spring.main.sources=" + SameHeaders.class.getName());
        enter(contest, QUIET, List.of(), "--penstock.policy=" + policy, "--penstock.headers=none");
        enter(contest, PLAIN, List.of(), "--penstock.enabled=false");
        if (process == 0) {
          contest.expect(processes, 0);
        }
        contest.run();
        contest.stopServers();
      }
      return new Findings(
          List.of(contest.table("throughput of an application")),
          NOTES + contest.spread("overhead", BenchRequest.CONTROLLER, LIMITED, PLAIN),
          Stream.of(
                  ratio(contest, "overhead", LIMITED, PLAIN),
                  ratio(contest, "same-headers", LIMITED, SAME_HEADERS),
                  ratio(contest, "no-headers", QUIET, PLAIN))
              .flatMap(Optional::stream)
              .toList(),
          List.of(contest.plot("spring", "A Spring MVC application")));
    }
  }

  /** Returns the headers that Penstock adds. */
  private static List<String> added(ServerProcess limited)
      throws IOException, InterruptedException {
    List<String> added =
        BenchRequest.CONTROLLER.send(limited.port()).headers().stream()
            .filter(header -> header.toLowerCase(Locale.ROOT).startsWith("ratelimit"))
            .toList();
    if (added.size() != HEADERS) {
      throw new FailedRunException("expected five RateLimit headers: " + added);
    }
    return added;
  }

  private static ServerProcess enter(
      HttpContest contest, String which, List<String> options, String... settings)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("--sample.security=false");
    all.add(NO_SECURITY);
    all.add(EXPOSED);
    ServerProcess process = contest.own(ServerProcess.sample(options, all));
    contest.enter(which, BenchRequest.CONTROLLER, process);
    return process;
  }

  private static Optional<Ratio> ratio(
      HttpContest contest, String name, String which, String baseline) {
    return contest.ratio("spring.mvc." + name, BenchRequest.CONTROLLER, which, baseline);
  }
}
