package io.penstock.policy.advice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Policy;
import io.penstock.policy.accesslog.LogFields;
import io.penstock.policy.accesslog.LogOptions;
import io.penstock.policy.accesslog.LogSource;
import io.penstock.policy.accesslog.LogStream;
import io.penstock.policy.cases.PolicyCases;
import io.penstock.policy.load.LoadedPolicy;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.replay.Replay;
import io.penstock.policy.replay.ReplayReport;
import io.penstock.policy.replay.RuleReport;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdvisorTest {
  private static final Path SAMPLE = Path.of("..", "docs", "examples", "access-log.txt");

  @TempDir Path folder;

  private static LogStream log(String text, LogFields fields) {
    return new LogStream(
        List.of(LogSource.of("log", new ByteArrayInputStream(text.getBytes(UTF_8)))),
        LogOptions.of(fields));
  }

  private static Advice advise(String log, double spare, String... per) {
    AdviceOptions options =
        new AdviceOptions(
            List.of(KeyPart.parse("ip:address")),
            List.of(per).stream().map(Attribute::parse).toList(),
            spare,
            10,
            new PathFolding(true, List.of()));
    return new Advisor(options).run(log(log, new LogFields(options.attributes(), Map.of())));
  }

  private static ReplayReport replay(String log, Policy policy) {
    return new Replay("policy", policy)
        .run(log(log, new LogFields(Replay.attributes(policy), Map.of())));
  }

  private static String randomLog(int seed) {
    Random random = new Random(seed);
    StringBuilder log = new StringBuilder("time,ip,method,path\n");
    double time = 1_760_000_000;
    for (int i = 0; i < 3_000; i++) {
      time += random.nextInt(4) == 0 ? random.nextDouble() * 3 : 0.01;
      int client = (int) Math.abs(random.nextGaussian() * 8);
      log.append("%.3f,192.0.2.%d,GET,%s\n".formatted(time, client, client % 2 == 0 ? "/a" : "/b"));
    }
    return log.toString();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void suggestions_replayedOnTheSameLog_denyWhatWasPredicted(int seed) {
    String log = randomLog(seed);
    for (Advice advice : List.of(advise(log, 90), advise(log, 90, "path"))) {
      for (String level : Advice.LEVELS) {
        String policy = new AdvicePolicy(advice, level).text();
        List<RuleReport> rules =
            replay(log, PolicyLoader.parse(policy, "policy.yaml").policy())
                .policies()
                .get(0)
                .rules();
        for (int i = 0; i < rules.size(); i++) {
          Suggestion suggestion = advice.groups().get(i).suggestion(level);
          assertThat(rules.get(i).denied()).as(level).isEqualTo(suggestion.denied());
          assertThat(rules.get(i).deniedKeys()).isEqualTo(suggestion.deniedKeys());
        }
      }
    }
  }

  @Test
  void policy_ofASuggestion_hasNoWarningsAndPassesItsCases() throws IOException {
    Advice advice = advise(SampleLog.text(), 99, "method", "path");
    AdvicePolicy policy = new AdvicePolicy(advice, "balanced");
    Path file = Files.writeString(folder.resolve("limits.yaml"), policy.text());
    Path cases = Files.writeString(folder.resolve("cases.yaml"), policy.cases("limits.yaml"));

    LoadedPolicy loaded = PolicyLoader.load(file);

    assertThat(loaded.warnings()).isEmpty();
    assertThat(PolicyCases.run(cases).passed()).isTrue();
    assertThat(advice.groups()).extracting(GroupAdvice::label).contains("GET /products/*");
    assertThat(AdviceText.lines(advice))
        .anyMatch(line -> line.contains("/products/*, for example"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"method", "plan"})
  void policy_ofGroupsThatMightShareABucket_deniesWhatWasPredicted(String per) {
    StringBuilder log = new StringBuilder("time,ip,method,path,plan\n");
    for (int i = 0; i < 30; i++) {
      String method = i % 3 == 0 ? "HEAD" : i % 3 == 1 ? "GET" : "POST";
      log.append("%d,192.0.2.1,%s,/a,%s\n".formatted(1_760_000_000 + i / 10, method, "p" + i % 3));
    }
    Advice advice = advise(log.toString(), 99.9, per);
    Policy policy =
        PolicyLoader.parse(new AdvicePolicy(advice, "balanced").text(), "policy.yaml").policy();

    List<RuleReport> rules = replay(log.toString(), policy).policies().get(0).rules();

    assertThat(rules).hasSameSizeAs(advice.groups());
    assertThat(rules).allSatisfy(rule -> assertThat(rule.denied()).isZero());
  }

  @Test
  void policy_valuesThatNoRuleCanHave_areLeftOutWithAComment() {
    String longPath = "/" + "x".repeat(150);
    String log =
        """
        time,ip,method,path
        1760000000,192.0.2.1,GET,/a
        1760000001,192.0.2.1,M-SEARCH,/a
        1760000002,192.0.2.1,GET,/%00
        1760000003,192.0.2.1,GET,
        """
                .stripTrailing()
            + longPath
            + "\n";
    Advice advice = advise(log, 99.9, "method", "path");

    String policy = new AdvicePolicy(advice, "balanced").text();

    assertThat(policy).contains("# No rule for M-SEARCH /a: ").doesNotContain("%00");
    assertThat(PolicyLoader.parse(policy, "policy.yaml").policy().rules()).hasSize(2);
  }

  @Test
  void suggestions_millionsOfRequestsAtOnce_arePositive() {
    String log = "time,ip,count\n" + "1760000000,192.0.2.1,1000000\n".repeat(3);

    Advice advice = advise(log, 99.9);

    assertThat(advice.groups().get(0).suggestions())
        .allSatisfy(suggestion -> assertThat(suggestion.burst()).isPositive());
  }

  @Test
  void suggestions_lowShare_theTightOneIsNotLooser() {
    Advice advice = advise(randomLog(5), 40);

    assertThat(advice.groups().get(0).suggestion("tight").denied())
        .isGreaterThanOrEqualTo(advice.groups().get(0).suggestion("balanced").denied());
  }

  @Test
  void html_ofAdvice_hasNoExternalReference() {
    Advice advice = advise(SampleLog.text(), 99);
    String html = AdviceHtml.of(advice, new AdvicePolicy(advice, "tight").text());

    assertThat(html).contains("<svg", "203.0.113.9").doesNotContain("http:", "https:", "<script");
    assertThat(html).doesNotContain("src=").doesNotContain("url(");
  }

  @Test
  void sampleLog_inTheDocumentation_isTheGeneratedOne() throws IOException {
    if (Boolean.getBoolean("penstock.docs.write")) {
      Files.createDirectories(SAMPLE.getParent());
      Files.writeString(SAMPLE, SampleLog.text());
    }
    assertThat(SAMPLE).hasContent(SampleLog.text());
  }

  @ParameterizedTest
  @CsvSource({
    "/users/42/orders, /users/*/orders",
    "/v1/users/me, /v1/users/me",
    "/f/3f2504e0-4f89-41d3-9a0c-0305e82c3301, /f/*",
    "/logs/2025-10-10, /logs/*",
    "/c/deadbeef01, /c/*",
    "/js/app.1f2e3d.js, /js/app.1f2e3d.js",
    "/u/a@example.com, /u/*",
    "/x/eyJhbGciOiJIUzI1NiJ9, /x/*"
  })
  void fold_path_replacesIds(String path, String folded) {
    assertThat(new PathFolding(true, List.of()).fold(path)).isEqualTo(folded);
    assertThat(new PathFolding(false, List.of()).fold(path)).isEqualTo(path);
    assertThat(new PathFolding(true, List.of("/*")).fold(path)).isEqualTo("/*");
  }
}
