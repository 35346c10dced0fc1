package io.penstock.policy.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.policy.load.PolicyException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Error messages about invalid files of cases. */
class CasesFileTest {
  private static final String GOOD =
      "cases: [{name: c, requests: [{request: {}, expect: {allowed: true}}]}]\n";

  @TempDir Path folder;

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private List<String> errors(String cases) throws IOException {
    Path file = write("c.yaml", cases);
    PolicyException rejected =
        catchThrowableOfType(PolicyException.class, () -> PolicyCases.run(file));
    return rejected.problems().stream()
        .map(problem -> problem.toString().replace(folder + "/", ""))
        .toList();
  }

  @Test
  void run_manyMistakes_reportsAllWithLocations() throws IOException {
    assertThat(
            errors(
                """
                polcy: p.yaml
                cases:
                  - name: a
                    requests:
                      - {at: 1s, request: {pth: /}, expect: {allowed: yes}}
                      - {at: 999ms, request: {}, times: 0, expect: {}}
                      - {request: {}, expect: {remainin: 1, mode: shadow, rule: [a]}}
                      - {expect: {limits: [{mode: off}, {rule: null}, 5], rules: [a, []]}}
                      - {request: {cost: -1}}
                  - name: a
                    requests: []
                  - requests: [x]
                    request: {}
                  - 7
                """))
        .containsExactly(
            "c.yaml:1:1: polcy: unknown field; did you mean policy?",
            "c.yaml:5:28: cases[0].requests[0].request.pth: unknown field; did you mean path?",
            "c.yaml:5:55: cases[0].requests[0].expect.allowed: must be true or false, not text: yes",
            "c.yaml:6:14: cases[0].requests[1].at: must not be before the request above, at 1000ms",
            "c.yaml:6:41: cases[0].requests[1].times: must be a whole number from 1 to 1000000: 0",
            "c.yaml:6:52: cases[0].requests[1].expect: must have at least one expected field",
            "c.yaml:7:32: cases[0].requests[2].expect.remainin: unknown field; did you mean"
                + " remaining?",
            "c.yaml:7:45: cases[0].requests[2].expect.mode: unknown field",
            "c.yaml:7:65: cases[0].requests[2].expect.rule: must be a single value, not a list",
            "c.yaml:8:9: cases[0].requests[3].request: is required",
            "c.yaml:8:35: cases[0].requests[3].expect.limits[0].mode: must be enforce | shadow: off",
            "c.yaml:8:48: cases[0].requests[3].expect.limits[1].rule: must be a single value, not"
                + " null",
            "c.yaml:8:55: cases[0].requests[3].expect.limits[2]: must be a mapping, not a number",
            "c.yaml:8:70: cases[0].requests[3].expect.rules[1]: must be the name of a rule, not a"
                + " list",
            "c.yaml:9:9: cases[0].requests[4].expect: is required",
            "c.yaml:9:26: cases[0].requests[4].request.cost: must be from 0 to 1000000000000: -1",
            "c.yaml:10:11: cases[1].name: must be unique: a is also at c.yaml:3:5",
            "c.yaml:11:15: cases[1].requests: must not be empty: nothing would be tested",
            "c.yaml:12:5: cases[2].name: is required",
            "c.yaml:12:16: cases[2].requests[0]: must be a mapping, not text",
            "c.yaml:13:5: cases[2].request: unknown field; did you mean requests?",
            "c.yaml:14:5: cases[3]: must be a mapping, not a number");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | must be like 100ms, 1s, 2m or 1h: 1",
        "1.5s | must be like 100ms, 1s, 2m or 1h: 1.5s",
        "-1s | must be like 100ms, 1s, 2m or 1h: -1s",
        "36501d | must be at most 36500d",
      })
  void run_noTime_isAnError(String at, String message) throws IOException {
    String cases = "cases: [{name: c, requests: [{at: %s, request: {}, expect: {allowed: true}}]}]";

    assertThat(errors("policy: none.yaml\n" + cases.formatted(at)))
        .contains("c.yaml:2:35: cases[0].requests[0].at: " + message);
  }

  @ParameterizedTest
  @CsvSource({"retry_after_ms", "reset_after_ms", "delay_ms"})
  void run_partOfAMillisecond_isAnError(String name) throws IOException {
    String cases = "cases: [{name: c, requests: [{request: {}, expect: {%s: 0.5}}]}]";

    assertThat(errors(cases.formatted(name)))
        .singleElement()
        .asString()
        .endsWith(name + ": must be a whole number of milliseconds: 0.5");
  }

  @Test
  void run_nothingToRun_isAnError() throws IOException {
    assertThat(errors("policy: p.yaml\ncases: []"))
        .contains("c.yaml:2:8: cases: must not be empty: nothing would be tested");
    assertThat(errors("{}")).containsExactly("c.yaml:1:1: cases: is required");
    assertThat(errors("")).containsExactly("c.yaml: is empty");
    assertThat(errors("cases: [")).singleElement().asString().startsWith("c.yaml:1:");
  }

  @Test
  void run_noFile_isAnError() {
    assertThat(
            catchThrowableOfType(
                PolicyException.class, () -> PolicyCases.run(folder.resolve("none.yaml"))))
        .hasMessage(folder.resolve("none.yaml") + ": no such file");
  }

  @Test
  void run_noPolicy_isAnError() throws IOException {
    assertThat(errors(GOOD))
        .containsExactly("c.yaml: policy: is required unless a policy is given separately");
    assertThat(errors("policy: none.yaml\n" + GOOD)).containsExactly("none.yaml: no such file");
  }

  @Test
  void run_mistakesInPolicyAndCases_saysBoth() throws IOException {
    write("p.yaml", "{name: r, limit_keys: [], rate: 5}");

    assertThat(errors("policy: p.yaml\ncases: 5"))
        .hasSize(2)
        .satisfiesExactly(
            cases -> assertThat(cases).startsWith("c.yaml:2:8: cases: must be a list"),
            policy -> assertThat(policy).startsWith("p.yaml:1:33: rate: "));
  }

  @Test
  void run_policyBesideTheFile_isFound() throws IOException {
    Files.createDirectories(folder.resolve("tests"));
    write("p.yaml", "{name: r, limit_keys: [], rate: 5/s}");
    Path file = write("tests/c.yaml", "policy: ../p.yaml\n" + GOOD);

    assertThat(PolicyCases.run(file).passed()).isTrue();
  }
}
