package io.penstock.policy.cases;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The guarantees about policies, as cases that authors of policies could write. */
class PolicyCasesTest {
  private static Path folder() throws URISyntaxException {
    URL folder = PolicyCasesTest.class.getResource("/io/penstock/policy/cases/login.yaml");
    return Objects.requireNonNull(Path.of(Objects.requireNonNull(folder).toURI()).getParent());
  }

  static List<String> files() throws IOException, URISyntaxException {
    try (Stream<Path> files = Files.list(folder())) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith("-cases.yaml"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void run_casesOfFile_pass(String file) throws URISyntaxException {
    CasesReport report = PolicyCases.run(folder().resolve(file));

    assertThat(report.passed()).as(() -> String.join("\n", report.lines())).isTrue();
    assertThat(report.results()).isNotEmpty();
  }

  /** Cases state claims, so no token keys are fetched. */
  @Test
  void run_policyWithKeysFromAUrl_fetchesNone(@TempDir Path temp) throws IOException {
    AtomicInteger requests = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    server.start();
    Files.writeString(
        temp.resolve("p.yaml"),
        "jwt: {jwks_url: 'http://127.0.0.1:%d/', algorithms: [RS256]}\n"
                .formatted(server.getAddress().getPort())
            + "rules: [{name: r, limit_keys: ['jwt:sub'], rate: 1/s}]\n");
    Path file =
        Files.writeString(
            temp.resolve("c.yaml"),
            """
            policy: p.yaml
            cases:
              - name: c
                requests:
                  - {request: {jwt: {sub: a}}, expect: {allowed: true}}
                  - {request: {jwt: {sub: a}}, expect: {allowed: false}}
                  - {request: {jwt: {sub: b}}, expect: {allowed: true}}
            """);
    try {
      CasesReport report = PolicyCases.run(file);

      assertThat(report.lines()).containsExactly("1 case, 0 failed; 3 requests, 0 failed");
      assertThat(requests).hasValue(0);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void run_rejectedPath_isDeniedForThatReason(@TempDir Path temp) throws IOException {
    Files.writeString(
        temp.resolve("p.yaml"),
        "rules: [{name: r, limit_keys: [], match: {path: /login}, rate: 1/s}]\n");
    Path file =
        Files.writeString(
            temp.resolve("c.yaml"),
            """
            policy: p.yaml
            cases:
              - name: c
                requests:
                  - request: {path: /%2Flogin}
                    expect: {allowed: false, reason: path_rejected, retry_after_ms: null, rule: null}
            """);

    assertThat(PolicyCases.run(file).lines())
        .containsExactly("1 case, 0 failed; 1 request, 0 failed");
  }

  @Test
  void files_areAllThere() throws IOException, URISyntaxException {
    assertThat(files())
        .containsExactly(
            "exempt-cases.yaml",
            "four-scopes-cases.yaml",
            "four-scopes-small-cases.yaml",
            "login-cases.yaml",
            "missing-key-cases.yaml",
            "plan-change-cases.yaml",
            "shadow-cases.yaml",
            "stated-cost-cases.yaml",
            "tiers-by-key-cases.yaml",
            "weight-cases.yaml");
  }
}
