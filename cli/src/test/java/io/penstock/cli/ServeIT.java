package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.penstock.cli.recipes.Program;
import io.penstock.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the startup of the service: memory and the printed command. */
class ServeIT {
  private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");
  private static final Pattern STATUS = Pattern.compile("(?m)^HTTP/1.1 (\\d+)");
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  @TempDir Path folder;

  @Test
  @Tag("full")
  void serve_started_usesLittleMemory() throws IOException {
    try (Service service = Service.start(folder)) {
      System.out.println("ready after " + service.readyMillis() + " ms");

      Path status = Path.of("/proc/" + service.process().pid() + "/status");
      assumeTrue(Files.exists(status), "no /proc");
      Matcher resident = RESIDENT.matcher(Files.readString(status));
      assertThat(resident.find()).isTrue();
      long mebibytes = Long.parseLong(resident.group(1)) >> 10;
      System.out.println(mebibytes + " MiB resident");
      assertThat(mebibytes).isLessThan(250);
    }
  }

  @Test
  void serve_samplePolicy_printsRequestsThatEndInA429() throws IOException {
    try (Service service = Service.start(folder)) {
      await("startup banner").until(() -> service.process().out().contains("penstock init"));

      String responses = run(printedCommand(service));

      assertThat(statuses(responses)).containsExactly(200, 200, 200, 429);
      assertThat(responses.toLowerCase(Locale.ROOT))
          .contains(
              "retry-after:",
              "ratelimit:",
              "ratelimit-policy:",
              "ratelimit-limit:",
              "ratelimit-remaining:",
              "ratelimit-reset:",
              "x-penstock-reason:",
              "content-type: application/problem+json",
              "violated-policies",
              "payment");
    }
  }

  @Test
  @Tag("full")
  void serve_policyForTheProxy_printsRequestsToTheProxy() throws IOException {
    Path policy = folder.resolve("policy.yaml");
    Files.writeString(
        policy,
        "rules: [{name: it's, limit_keys: ['header:x-key'], match: {method: PUT, path: /a*},"
            + " rate: 1/min, burst: 1}]");
    HttpServer origin = HttpServer.create(new InetSocketAddress(LOOPBACK, 0), 0);
    origin.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    origin.start();
    try (Service service =
        Service.start(
            folder,
            "--policy=" + policy,
            "--upstream=http://127.0.0.1:" + origin.getAddress().getPort(),
            "--proxy-port=" + Ports.free())) {
      assertThat(statuses(run(printedCommand(service)))).containsExactly(204, 429);
    } finally {
      origin.stop(0);
    }
  }

  @Test
  @Tag("full")
  void serve_policyWithAttributes_printsChecksThatEndInADenial() throws IOException {
    Path policy = folder.resolve("policy.yaml");
    Files.writeString(
        policy,
        "jwt: caller\nrules: [{name: a, limit_keys: [user_id, 'jwt:sub'], match: {plan: it's}, rate: 1/s,"
            + " burst: 500}]");
    try (Service service = Service.start(folder, "--policy=" + policy)) {
      assertThat(run(printedCommand(service)).lines())
          .satisfiesExactly(
              first -> assertThat(first).startsWith("{\"allowed\":true,\"rule\":\"a\""),
              second -> assertThat(second).startsWith("{\"allowed\":false,\"rule\":\"a\""));
    }
  }

  /** The bucket refills while the requests are sent, so their number is not certain. */
  @Test
  @Tag("full")
  void serve_policyOfInit_printsRequestsThatEndInA429() throws IOException {
    Path policy = folder.resolve("policy.yaml");
    CommandRun written = CommandRun.of("init", policy.toString());
    assertThat(written.status()).as(written.err()).isZero();
    try (Service service = Service.start(folder, "--policy=" + policy)) {
      List<Integer> statuses = statuses(run("{ " + printedCommand(service) + "; } 2>&1"));
      assertThat(statuses.get(statuses.size() - 1)).isEqualTo(429);
      assertThat(statuses.subList(0, statuses.size() - 1)).hasSizeBetween(20, 30).containsOnly(200);
    }
  }

  private static String printedCommand(Service service) {
    await("command").until(() -> service.process().out().contains("; done"));
    return service
        .process()
        .out()
        .lines()
        .filter(line -> line.endsWith("; done"))
        .findFirst()
        .orElseThrow();
  }

  private static String run(String command) throws IOException {
    Program.onPath("curl");
    Process shell =
        new ProcessBuilder("sh", "-c", command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return new String(shell.getInputStream().readAllBytes(), UTF_8);
  }

  private static List<Integer> statuses(String responses) {
    return STATUS.matcher(responses).results().map(m -> Integer.valueOf(m.group(1))).toList();
  }
}
