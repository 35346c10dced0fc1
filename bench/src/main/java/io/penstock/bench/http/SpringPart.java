package io.penstock.bench.http;

import io.penstock.bench.contest.FailedRunException;
import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** What the filters cost an application of Spring MVC, beside the same without them. */
public final class SpringPart {
  private static final String NOTES =
      """
      The sample application on Spring Boot 4, its security left out, answers a GET by a controller
      that returns a word; Tomcat and the actuator are as Spring Boot sets them up. With Penstock, each
      request is allowed by a rule on its address, counted in the application's registry, and answered
      with five RateLimit headers. As everywhere here, who is compared sends the same headers: overhead
      is beside the application without Penstock and with a filter of a few lines that sends five
      headers which never change. no-headers is with penstock.headers=none beside the application as it
      is, and decision-and-headers is with Penstock and its headers beside that. Ten processes each;
      wrk asks with one thread over as many connections as Tomcat has threads, 200, and shares the
      cores; why, and what was found over 32, is in docs/decisions/0011.
      """;

  /**
   * How fast such an application is depends on how its code happens to be compiled, by some percent
   * from process to process, so there are many, and none counts for much.
   */
  private static final int PROCESSES = 10;

  /** Many and short ones, so that who is compared meets the same slow seconds of a machine. */
  private static final int ROUNDS = 5;

  private static final int SECONDS = 2;

  /** In rounds: after this, little of such an application is still to be compiled. */
  private static final int WARM_UP = 36 / SECONDS;

  /**
   * As many as Spring Boot gives Tomcat threads. With fewer, the application could answer more than
   * it is asked, and how threads happen to be woken counts as well.
   */
  private static final int CONNECTIONS = 200;

  private static final String LIMITED = "with Penstock";
  private static final String SAME_HEADERS = "without, same headers";
  private static final String QUIET = "with Penstock, no headers";
  private static final String PLAIN = "without";

  /** Methods of the application name these rules; no request here asks for them. */
  private static final String OF_METHODS =
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

  /** What Spring Boot exposes unless told otherwise: each endpoint costs all requests a little. */
  private static final String EXPOSED = "--management.endpoints.web.exposure.include=health";

  private static final int HEADERS = 5;

  private SpringPart() {}

  public static Findings measure(boolean quick) throws IOException, InterruptedException {
    Path policy = Files.createTempFile("penstock", ".yaml");
    policy.toFile().deleteOnExit();
    Files.writeString(policy, Terms.GENEROUS.policy + OF_METHODS);
    int processes = quick ? 1 : PROCESSES;
    try (Contest contest =
        new Contest(quick ? 2 : ROUNDS, SECONDS, quick ? 10 : WARM_UP, CONNECTIONS)) {
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
        contest.endServers();
      }
      return new Findings(
          List.of(contest.table("answers of an application")),
          NOTES + contest.spread("overhead", Question.CONTROLLER, LIMITED, SAME_HEADERS),
          Stream.of(
                  ratio(contest, "overhead", LIMITED, SAME_HEADERS),
                  ratio(contest, "no-headers", QUIET, PLAIN),
                  ratio(contest, "decision-and-headers", LIMITED, PLAIN))
              .flatMap(Optional::stream)
              .toList(),
          List.of(contest.plot("spring", "An application of Spring MVC")));
    }
  }

  /** The headers that Penstock adds. */
  private static List<String> added(ServerProcess limited)
      throws IOException, InterruptedException {
    List<String> added =
        Question.CONTROLLER.ask(limited.port()).headers().stream()
            .filter(header -> header.toLowerCase(Locale.ROOT).startsWith("ratelimit"))
            .toList();
    if (added.size() != HEADERS) {
      throw new FailedRunException("not the headers that this is about: " + added);
    }
    return added;
  }

  private static ServerProcess enter(
      Contest contest, String which, List<String> options, String... settings)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(settings));
    all.add("--sample.security=false");
    all.add(NO_SECURITY);
    all.add(EXPOSED);
    ServerProcess process = contest.own(ServerProcess.sample(options, all));
    contest.enter(which, Question.CONTROLLER, process);
    return process;
  }

  private static Optional<Ratio> ratio(Contest contest, String name, String which, String beside) {
    return contest.ratio("spring.mvc." + name, Question.CONTROLLER, which, beside);
  }
}
