package io.penstock.bench.http;

import io.penstock.bench.report.Findings;
import io.penstock.bench.report.Ratio;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What the filters cost an application of Spring MVC, beside the same without them. */
public final class SpringPart {
  private static final String NOTES =
      """
      The sample application, its security left out, answers a GET by a controller that returns a
      word; Tomcat and the actuator are as Spring Boot sets them up. With Penstock, each request is
      allowed by a rule on its address, counted in the application's registry, and answered with
      RateLimit headers. wrk asks with one thread over 32 connections and shares the cores.
      """;

  /**
   * In rounds: an application like this takes two minutes until all of it is compiled, and the one
   * that has more to compile would seem slower for that.
   */
  private static final int WARM_UP = 24;

  private static final String LIMITED = "with Penstock";
  private static final String PLAIN = "without";
  private static final String BOOT_3 = "spring-boot-3";
  private static final String BOOT_4 = "spring-boot-4";

  /** A method of the application names this rule; no request asks for it. */
  private static final String EXPORT =
      "  - {name: export, limit_keys: [shop], rate: 1/s, manual: true}\n";

  /** Of both versions: what one doesn't have is left out already. */
  private static final String NO_SECURITY =
      "--spring.autoconfigure.exclude="
          + String.join(
              ",",
              "org.springframework.boot.autoconfigure.security.servlet.SecurityAutoConfiguration",
              "org.springframework.boot.autoconfigure.security.servlet.SecurityFilterAutoConfiguration",
              "org.springframework.boot.autoconfigure.security.servlet.UserDetailsServiceAutoConfiguration",
              "org.springframework.boot.actuate.autoconfigure.security.servlet.ManagementWebSecurityAutoConfiguration",
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
    try (Contest contest = new Contest(quick, WARM_UP)) {
      for (String boot : List.of(BOOT_4, BOOT_3)) {
        enter(contest, boot, LIMITED, "--penstock.policy=" + policy);
        enter(contest, boot, PLAIN, "--penstock.enabled=false");
      }
      contest.expect(0);
      contest.run();
      return new Findings(
          List.of(contest.table("answers of an application")),
          NOTES,
          Stream.of(
                  ratio(contest, "spring.mvc.overhead", BOOT_4),
                  ratio(contest, "spring.mvc.overhead.boot-3", BOOT_3))
              .flatMap(Optional::stream)
              .toList(),
          List.of(contest.plot("spring", "An application of Spring MVC")));
    }
  }

  private static void enter(Contest contest, String boot, String which, String setting)
      throws IOException, InterruptedException {
    ServerProcess sample =
        contest.own(ServerProcess.sample(boot, setting, "--sample.security=false", NO_SECURITY));
    contest.enter(name(boot, which), Question.CONTROLLER, sample);
  }

  private static Optional<Ratio> ratio(Contest contest, String name, String boot) {
    return contest.ratio(name, Question.CONTROLLER, name(boot, LIMITED), name(boot, PLAIN));
  }

  private static String name(String boot, String which) {
    return boot + " " + which;
  }
}
