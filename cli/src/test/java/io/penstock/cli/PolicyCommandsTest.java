package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import io.penstock.policy.PolicySchema;
import io.penstock.policy.SamplePolicy;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.ProblemPrinter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PolicyCommandsTest {
  private static final String WARNED =
      "{name: cut, limit_keys: [\"ip:address\"], rate: 10/s, burst: 5}\n";

  @TempDir Path folder;
  private String good;
  private String bad;
  private String warned;

  @BeforeEach
  void writePolicies() throws IOException {
    good =
        write(
            "good.yaml",
            "{attributes: {user_id: caller}, rules: [{name: one, limit_keys: [user_id], rate: 1/s,"
                + " burst: 2}]}\n");
    warned = write("warned.yaml", WARNED);
    bad = write("bad.yaml", "name: one\nlimit_keys: []\nrate: 1/fortnight\nburts: 5\n");
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String cases(String expected) throws IOException {
    return write(
        "cases.yaml",
        "cases:\n- name: c\n  requests:\n"
            + "  - {request: {attributes: {user_id: u}}, expect: {allowed: "
            + expected
            + "}}\n");
  }

  @Test
  void validate_validPolicy_succeeds() {
    assertThat(CommandRun.of("validate", good))
        .isEqualTo(new CommandRun(0, lines("1 policy valid: 1 rule, 0 warnings"), ""));
  }

  @Test
  void validate_standardInput_isAPolicy() {
    assertThat(CommandRun.withInput(WARNED, "validate", "-").out())
        .startsWith("-:1:")
        .endsWith(lines("1 policy valid: 1 rule, 1 warning"));
    assertThat(CommandRun.withInput("rate: 5\n", "validate", "-").status()).isEqualTo(2);
  }

  @Test
  void serve_policyWithoutOption_suggestsTheOption() {
    CommandRun run = CommandRun.of("serve", good);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("Did you mean --policy " + good + "?");
  }

  @Test
  void validate_severalPolicies_reportsAllProblems() {
    CommandRun run = CommandRun.of("validate", bad, good, warned, folder + "/none.yaml");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out().lines())
        .hasSize(11)
        .anyMatch(line -> line.startsWith(bad + ":3:7: rate: must have a unit"))
        .contains(bad + ":4:1: burts: unknown field; did you mean burst?")
        .anyMatch(line -> line.startsWith(warned + ":1:") && line.contains(": warning: burst: "))
        .anyMatch(line -> line.startsWith(folder + "/none.yaml: "))
        .endsWith("4 policies, 2 invalid: 3 errors, 1 warning");
  }

  @Test
  void validate_error_showsTheSourceLineWithACaret() throws IOException {
    String policy = write("caret.yaml", "name: a\nlimit_keys: [ip]\nrate: 5/s\n");

    assertThat(CommandRun.of("validate", policy).out().lines().skip(1).limit(2))
        .containsExactly("  2 | limit_keys: [ip]", "    |              ^");
    assertThat(
            CommandRun.withInput("name: a\nlimit_keys: [ip]\nrate: 5/s\n", "validate", "-").out())
        .contains("  2 | limit_keys: [ip]");
  }

  @Test
  void validate_wrongIndentation_showsTheSourceLineWithACaret() throws IOException {
    String policy = write("indented.yaml", "rules:\n  - name: a\n      rate: 5/s\n");

    assertThat(CommandRun.of("validate", policy).out().lines().limit(3))
        .satisfiesExactly(
            line -> assertThat(line).contains(":3:11: mapping values", "check the indentation"),
            line -> assertThat(line).isEqualTo("  3 |       rate: 5/s"),
            line -> assertThat(line).isEqualTo("    |           ^"));
  }

  @Test
  void validate_syntaxErrorInAFileWithASecret_showsNoLine() throws IOException {
    String policy = write("s.yaml", "jwt:\n  secret: >\n    hunter2\n   hunter3: hunter4: a\n");

    assertThat(CommandRun.of("validate", policy).out()).doesNotContain("hunter", "|");
  }

  @Test
  void validate_lineWithASecret_isNotShown() throws IOException {
    String policy =
        write("s.yaml", "{jwt: {secret: hunter2hunter2}, rules: [{name: a, limit_keys: [ip]}]}\n");

    assertThat(CommandRun.of("validate", policy).out())
        .contains("did you mean ip:address?")
        .doesNotContain("hunter2", "|");
  }

  @Test
  void test_invalidPolicyOrCases_showsTheSourceLine() throws IOException {
    String invalid = write("i.yaml", "rules:\n- {name: a, limit_keys: [ip], rate: 1/s}\n");
    String cases = write("c.yaml", "- {name: a, request: []}\n");

    assertThat(CommandRun.of("test", invalid, cases).err())
        .contains("  2 | - {name: a, limit_keys: [ip]", "    |                          ^");
    assertThat(CommandRun.of("test", good, cases).err()).contains("  1 | - {name: a, request: []}");
  }

  @Test
  void printer_onATerminal_usesColors() {
    StringWriter out = new StringWriter();
    Problem problem =
        new Problem(Problem.Severity.ERROR, new Location("-", 1, 3), "name", "is wrong");
    new ProblemPrinter(new PrintWriter(out, true)::println, true)
        .source("-", "a b")
        .print(List.of(problem));

    assertThat(out.toString().replace("\033", "ESC"))
        .isEqualTo(
            lines(
                "ESC[31m-:1:3: name: is wrongESC[0m",
                "ESC[2m  1 | ESC[0ma b",
                "ESC[2m    | ESC[0m  ESC[31m^ESC[0m"));
  }

  @Test
  void validate_mistakesOfNewcomers_nonePassesStrictly() throws IOException {
    Path corpus = Path.of("../policy/src/test/resources/io/penstock/policy/mistakes");
    try (Stream<Path> files = Files.list(corpus)) {
      assertThat(files.toList())
          .hasSizeGreaterThan(40)
          .allSatisfy(
              file ->
                  assertThat(CommandRun.of("validate", "--strict", file.toString()).status())
                      .isEqualTo(Console.INVALID));
    }
  }

  @Test
  void validate_warnings_failOnlyIfStrict() {
    assertThat(CommandRun.of("validate", warned).status()).isZero();
    assertThat(CommandRun.of("validate", "--strict", warned).status()).isEqualTo(2);
  }

  @Test
  void validate_onlyManualRules_isNotedAndValid() throws IOException {
    String manual =
        write("manual.yaml", "rules: [{name: r, limit_keys: [], rate: 1/s, manual: true}]\n");

    CommandRun run = CommandRun.of("validate", "--strict", manual);

    assertThat(run.status()).isZero();
    assertThat(run.out())
        .startsWith(manual + ": note: rules: every rule is manual, so that the decision service,")
        .contains("1 policy valid: 1 rule, 0 warnings");
    assertThat(CommandRun.of("validate", "--format", "json", manual).out())
        .contains("\"severity\" : \"note\"");
  }

  @Test
  void validate_onlyShadowRules_isNotedAndValid() throws IOException {
    String shadow =
        write("shadow.yaml", "rules: [{name: r, limit_keys: [], rate: 1/s, mode: shadow}]\n");

    CommandRun run = CommandRun.of("validate", "--strict", shadow);

    assertThat(run.status()).isZero();
    assertThat(run.out())
        .startsWith(
            shadow + ": note: rules: every rule has mode: shadow, so that no request is denied");
  }

  @Test
  void validate_errorsAndWarnings_areBothReported() throws IOException {
    String both = write("both.yaml", "rules:\n- " + WARNED + "- {name: b}\n");

    assertThat(CommandRun.of("validate", both).out())
        .contains(": warning: rules[0].burst: ")
        .contains("rules[1].limit_keys: is required");
  }

  @Test
  void validate_asJson_hasLocationsAndFields() {
    CommandRun run = CommandRun.of("validate", "--format", "json", bad, warned);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out().replaceAll("\\s+", ""))
        .startsWith("{\"valid\":false,\"policies\":[{\"file\":\"" + bad + "\",\"valid\":false,")
        .contains(
            "{\"severity\":\"error\",\"file\":\""
                + bad
                + "\",\"line\":4,\"column\":1,\"field\":\"burts\",\"message\":\"unknownfield;")
        .contains("{\"severity\":\"warning\",\"file\":\"" + warned + "\",\"line\":1,");
  }

  @Test
  void test_allAsExpected_passes() throws IOException {
    String cases = cases("true");

    assertThat(CommandRun.of("test", good, cases))
        .isEqualTo(new CommandRun(0, lines(cases + ": 1 case, 0 failed; 1 request, 0 failed"), ""));
  }

  @Test
  void test_mismatch_reportsTheDifference() throws IOException {
    String cases = cases("false");
    CommandRun run = CommandRun.of("test", good, cases);

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .isEqualTo(
            lines(
                cases + ":4:5: c: request 1 at 0ms",
                "    allowed: expected false, was true",
                cases + ": 1 case, 1 failed; 1 request, 1 failed"));
    assertThat(CommandRun.of("test", "--format", "JSON", good, cases).out())
        .contains("\"passed\" : false")
        .contains("\"expected\" : \"false\"");
  }

  @Test
  void test_invalidFile_isReportedAndTheRestRuns() throws IOException {
    String cases = cases("false");
    CommandRun run = CommandRun.of("test", good, bad, cases);

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).contains("1 case, 1 failed");
    assertThat(run.err()).contains(bad + ":1:1: cases: is required");
    assertThat(CommandRun.of("test", bad, cases).status()).isEqualTo(2);
  }

  @Test
  void explain_argumentFileAndStandardInput_giveTheSameResult() throws IOException {
    String request = "{\"attributes\": {\"user_id\": \"42\"}}";
    CommandRun run = CommandRun.of("explain", good, "--request", request);

    assertThat(run.status()).isZero();
    assertThat(run.out())
        .startsWith("one applies: ")
        .contains("key user_id=42, cost 1")
        .contains("verdict: allowed by one, 1 of 2 left");
    assertThat(CommandRun.withInput(request, "explain", good, "--request", "-")).isEqualTo(run);
    assertThat(CommandRun.of("explain", good, "--request", "@" + write("r.json", request)))
        .isEqualTo(run);
    assertThat(CommandRun.of("explain", good, "--format=json", "--request", request).out())
        .contains("\"verdict\" : {");
  }

  @Test
  void explain_exemptRequest_namesTheExemption() throws IOException {
    String exempting =
        write(
            "exempt.yaml",
            """
            exempt: [{match: {path: /healthz}}, {match: {path: /metrics, method: GET}}]
            rules: [{name: one, limit_keys: ["ip:address"], rate: 1/s}]
            """);
    String request = "{\"path\": \"/metrics\", \"method\": \"GET\"}";
    assertThat(CommandRun.of("explain", exempting, "--request", request).out())
        .isEqualTo(
            lines(
                "one does not apply: the request is exempt by exempt[1]: path is /metrics, method is"
                    + " GET",
                "verdict: allowed, no rule is enforced"));
  }

  @Test
  void explain_authorizationWithoutBearerToken_saysSo() throws IOException {
    String verifying =
        write(
            "jwt.yaml",
            """
            jwt: {secret: a-shared-secret-of-more-than-32-bytes}
            rules: [{name: one, limit_keys: ["jwt:sub"], rate: 1/s}]
            """);
    String line = "token absent: Authorization is not a Bearer token";
    assertThat(
            CommandRun.of(
                    "explain",
                    verifying,
                    "--request",
                    "{\"headers\": {\"Authorization\": \"Basic YTpi\"}}")
                .out()
                .lines())
        .startsWith(line);
    assertThat(CommandRun.of("explain", verifying, "--request", "{}").out()).doesNotContain(line);
  }

  @Test
  void explain_validToken_suppliesTheKey() throws Exception {
    CommandRun run = explainToken("{\"sub\": \"alice\"}");

    assertThat(run.status()).isZero();
    assertThat(run.out())
        .startsWith("one applies: ")
        .contains("key jwt:sub=alice, cost 1")
        .contains("verdict: allowed by one");
  }

  @Test
  void explain_expiredToken_saysSo() throws Exception {
    CommandRun run = explainToken("{\"sub\": \"alice\", \"exp\": 1}");

    assertThat(run.status()).isZero();
    assertThat(run.out().lines())
        .startsWith("token rejected: expired")
        .anyMatch(line -> line.contains("that lack jwt:sub (token rejected: expired)"));
  }

  private CommandRun explainToken(String claims) throws IOException, JOSEException {
    String secret = "a-shared-secret-of-more-than-32-bytes";
    String verifying =
        write(
            "jwt.yaml",
            """
            jwt: {secret: %s}
            rules: [{name: one, limit_keys: ["jwt:sub"], rate: 1/s}]
            """
                .formatted(secret));
    JWSObject token = new JWSObject(new JWSHeader(JWSAlgorithm.HS256), new Payload(claims));
    token.sign(new MACSigner(secret));
    return CommandRun.of(
        "explain",
        verifying,
        "--request",
        "{\"headers\": {\"Authorization\": \"Bearer " + token.serialize() + "\"}}");
  }

  @Test
  void explain_invalidRequest_isReportedWithLocations() {
    assertThat(CommandRun.of("explain", good, "--request", "{\"pth\": \"/\", \"cost\": -1}"))
        .isEqualTo(
            new CommandRun(
                2,
                "",
                lines(
                    "request.json:1:2: pth: unknown field; did you mean path?",
                    "request.json:1:22: cost: must be from 0 to 1000000000000: -1")));
    assertThat(CommandRun.of("explain", good, "--request", "{").status()).isEqualTo(2);
    assertThat(CommandRun.of("explain", good, "--request", "").status()).isEqualTo(2);
    assertThat(CommandRun.of("explain", good, "--request", "@none").status()).isEqualTo(2);
  }

  @Test
  void sample_printed_validatesStrictly() throws IOException {
    String printed = CommandRun.of("sample").out();

    assertThat(printed.strip()).isEqualTo(SamplePolicy.text().strip());
    assertThat(CommandRun.of("validate", "--strict", write("sample.yaml", printed)).status())
        .isZero();
  }

  @Test
  void schema_printed_isThePolicySchema() {
    assertThat(CommandRun.of("schema").out().strip()).isEqualTo(PolicySchema.text().strip());
  }

  private static String lines(String... lines) {
    return String.join(System.lineSeparator(), lines) + System.lineSeparator();
  }
}
