package io.penstock.policy.cases;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Policy;
import io.penstock.policy.load.PolicyLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reports about expectations that are not met. */
class CasesReportTest {
  private static final String POLICY =
      """
      rules:
        - {name: free, limit_keys: [user_id], rate: 10/s, burst: 2}
        - {name: tried, limit_keys: [], rate: 1/s, burst: 1, mode: shadow}
      """;

  @TempDir Path folder;

  private CasesReport run(String cases) throws IOException {
    Path file = Files.writeString(folder.resolve("c.yaml"), cases);
    Policy policy = PolicyLoader.parse(POLICY, "p.yaml").policy();
    return PolicyCases.run(file, policy);
  }

  private List<String> lines(CasesReport report) {
    return report.lines().stream()
        .map(line -> line.replace(folder.resolve("c.yaml").toString(), "c.yaml"))
        .toList();
  }

  @Test
  void lines_failures_sayWhereWhatAndWhich() throws IOException {
    CasesReport report =
        run(
            """
            cases:
              - name: right
                requests:
                  - {request: {attributes: {user_id: u}}, expect: {allowed: true}}
              - name: wrong
                requests:
                  - {request: {attributes: {user_id: u}}, times: 5, expect: {allowed: true, rule: free}}
                  - at: 1m
                    request: {attributes: {user_id: u}}
                    expect: {allowed: false, remaining: 1.50, retry_after_ms: null}
                  - request: {}
                    expect: {rule: free, rules: [free, tried], limits: [{mode: enforce}, {}]}
            """);

    assertThat(lines(report))
        .containsExactly(
            "c.yaml:7:9: wrong: request 1 at 0ms, time 3 of 5 and 2 more",
            "    allowed: expected true, was false",
            "c.yaml:8:9: wrong: request 2 at 60000ms",
            "    allowed: expected false, was true",
            "    remaining: expected 1.5, was 1",
            "    retry_after_ms: expected null, was 0",
            "c.yaml:11:9: wrong: request 3 at 60000ms",
            "    rule: expected free, was null",
            "    limits: expected length 2, was length 1",
            "    limits[0].mode: expected enforce, was shadow",
            "    rules: expected [free, tried], was [tried]",
            "2 cases, 1 failed; 8 requests, 5 failed");
    assertThat(report.passed()).isFalse();
  }

  @Test
  void results_failure_haveAllAsRecords() throws IOException {
    CasesReport report =
        run(
            """
            cases:
              - name: wrong
                requests:
                  - {at: 100ms, request: {attributes: {user_id: u}}, times: 3, expect: {remaining: 1}}
            """);

    CaseResult result = report.results().get(0);
    assertThat(result.passed()).isFalse();
    assertThat(result.sent()).isEqualTo(3);
    StepFailure failure = result.failures().get(0);
    assertThat(failure.request()).isEqualTo(1);
    assertThat(failure.at()).isEqualTo(Duration.ofMillis(100));
    assertThat(List.of(failure.time(), failure.times(), failure.failed())).containsExactly(3, 3, 1);
    assertThat(failure.mismatches()).containsExactly(new Mismatch("remaining", "1", "0"));
    assertThat(failure.location().line()).isEqualTo(4);
  }

  @Test
  void lines_allMet_areOnlyTheSummary() throws IOException {
    CasesReport report =
        run("{cases: [{name: c, requests: [{request: {}, expect: {allowed: true}}]}]}");

    assertThat(report.passed()).isTrue();
    assertThat(report.lines()).containsExactly("1 case, 0 failed; 1 request, 0 failed");
  }

  /** Wrong expectations, one field at a time; the third of three requests is denied. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "allowed: true | allowed: expected true, was false",
        "rule: other | rule: expected other, was free",
        "rule: null | rule: expected null, was free",
        "reason: null | reason: expected null, was token_bucket_exceeded",
        "reason: missing_key | reason: expected missing_key, was token_bucket_exceeded",
        "limit: 20 | limit: expected 20, was 2",
        "limit: null | limit: expected null, was 2",
        "remaining: 0.001 | remaining: expected 0.001, was 0",
        "retry_after_ms: 99 | retry_after_ms: expected 99, was 100",
        "retry_after_ms: null | retry_after_ms: expected null, was 100",
        "reset_after_ms: 201 | reset_after_ms: expected 201, was 200",
        "delay_ms: 1 | delay_ms: expected 1, was 0",
        "limits: [] | limits: expected length 0, was length 1",
        "limits: [{cost: 2}] | limits[0].cost: expected 2, was 1",
        "limits: [{mode: shadow}] | limits[0].mode: expected shadow, was enforce",
        "limits: [{rule: x}] | limits[0].rule: expected x, was free",
        "limits: [{allowed: true}] | limits[0].allowed: expected true, was false",
        "limits: [{reason: null}] | limits[0].reason: expected null, was token_bucket_exceeded",
        "limits: [{retry_after_ms: 0}] | limits[0].retry_after_ms: expected 0, was 100",
        "rules: [] | rules: expected [], was [free]",
      })
  void lines_oneFieldNotMet_nameItAlone(String expectation, String line) throws IOException {
    CasesReport report =
        run(
            """
            cases:
              - name: c
                requests:
                  - {request: {attributes: {user_id: u}}, times: 2, expect: {allowed: true}}
                  - request: {attributes: {user_id: u}}
                    expect: {%s}
            """
                .formatted(expectation));

    assertThat(report.lines()).hasSize(3).element(1).isEqualTo("    " + line);
  }

  @Test
  void run_eachCase_beginsWithFullBucketsAtZero() throws IOException {
    String requests =
        "requests: [{request: {attributes: {user_id: u}}, times: 2, expect: {allowed: true}},"
            + " {request: {attributes: {user_id: u}}, expect: {allowed: false, retry_after_ms: 100}}]";

    assertThat(run("cases: [{name: a, " + requests + "}, {name: b, " + requests + "}]").passed())
        .isTrue();
  }
}
