package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergedPolicyTest {
  private static final String USERS = "limit_keys: [user_id], rate: 1/s";

  @Test
  void of_rulesFromTheDatabase_followThoseOfFiles() {
    MergedPolicy joint =
        joined(
            file("{name: file, " + USERS + ", match: {plan: a}}"),
            now(ordered(2, 10, "{name: second, " + USERS + "}")),
            now(ordered(1, 5, "{name: first, " + USERS + ", match: {plan: b}}")));

    assertThat(names(joint)).containsExactly("file", "first", "second");
    assertThat(joint.databaseRules().stream().map(OrderedRule::id)).containsExactly(1L, 2L);
    assertThat(joint.problems()).isEmpty();
  }

  @Test
  void of_sameOrder_thoseForAllComeLast() {
    MergedPolicy joint =
        joined(
            Policy.of(),
            now(new OrderedRule(rule("{name: all, " + USERS + "}", 1), 1, 0, true)),
            now(
                new OrderedRule(
                    rule("{name: pro, " + USERS + ", match: {plan: pro}}", 2), 2, 0, false)));

    assertThat(names(joint)).containsExactly("pro", "all");
  }

  @Test
  void of_nameInBoth_omitsTheRuleFromTheDatabaseAndReportsIt() {
    MergedPolicy joint =
        joined(
            file("{name: login, " + USERS + "}"),
            now(ordered(7, 0, "{name: login, limit_keys: [tenant], rate: 1/s}")));

    assertThat(names(joint)).containsExactly("login");
    assertThat(joint.problems().get(0))
        .hasToString("row 7: name: must have a unique name: login is also at policy.yaml");
  }

  @Test
  void of_unreadableRule_keepsItsPreviousVersion() {
    OrderedRule before = ordered(1, 0, "{name: a, " + USERS + "}");
    Problem problem = new Problem(Problem.Severity.ERROR, Location.of("row 1"), "rate", "is bad");
    MergedPolicy joint =
        joined(Policy.of(), new RuleCandidate(null, before, List.of(problem)), now(tenants(2)));

    assertThat(names(joint)).containsExactly("a", "tenants");
    assertThat(joint.problems()).containsExactly(problem);
    assertThat(joint.databaseRules().get(0)).isSameAs(before);
  }

  @Test
  void of_unreachableRule_keepsItsPreviousVersionOrIsOmitted() {
    OrderedRule all = ordered(1, 0, "{name: all, " + USERS + "}");
    OrderedRule hidden = ordered(2, 5, "{name: hidden, " + USERS + ", match: {plan: pro}}");
    OrderedRule before = ordered(2, -5, "{name: hidden, " + USERS + ", match: {plan: pro}}");

    MergedPolicy without = joined(Policy.of(), now(all), now(hidden));
    assertThat(names(without)).containsExactly("all");
    assertThat(without.problems().get(0).message()).startsWith("hidden can never apply: all, at");

    MergedPolicy with = joined(Policy.of(), now(all), new RuleCandidate(hidden, before, List.of()));
    assertThat(names(with)).containsExactly("hidden", "all");
    assertThat(with.problems()).hasSize(1);
  }

  @Test
  void of_invalidRuleWithoutPreviousVersion_affectsNoOther() {
    MergedPolicy joint =
        joined(Policy.of(), new RuleCandidate(null, null, List.of()), now(tenants(2)));

    assertThat(names(joint)).containsExactly("tenants");
  }

  @Test
  void of_ruleUnsupportedByTheStore_keepsItsPreviousVersionOrIsOmitted() {
    OrderedRule before = ordered(1, 0, "{name: a, " + USERS + "}");
    OrderedRule tooFast = ordered(1, 0, "{name: a, limit_keys: [user_id], rate: 9/s}");
    OrderedRule added = ordered(3, 0, "{name: c, limit_keys: [host], rate: 9/s}");
    MergedPolicy joint =
        MergedPolicy.of(
            Policy.of(),
            "",
            List.of(new RuleCandidate(tooFast, before, List.of()), now(tenants(2)), now(added)),
            MergedPolicyTest::atMostOneASecond);

    assertThat(names(joint)).containsExactly("a", "tenants");
    assertThat(joint.databaseRules().get(0)).isSameAs(before);
    assertThat(joint.problems())
        .extracting(Problem::toString)
        .containsExactly("row 1: too fast: a", "row 3: too fast: c");
  }

  private static void atMostOneASecond(Rule rule) {
    if (rule.limits().toString().contains("9")) {
      throw new IllegalArgumentException("too fast: " + rule.name());
    }
  }

  @Test
  void of_pathsThatIgnoreCase_areComparedWithoutIt() {
    Policy file =
        PolicyLoader.parse(
                "paths: {case: insensitive}\nrules: [{name: a, "
                    + USERS
                    + ", match: {path: /Login}}]",
                "policy.yaml")
            .policy();
    MergedPolicy joint =
        joined(file, now(ordered(1, 0, "{name: b, " + USERS + ", match: {path: /LOGIN}}")));

    assertThat(names(joint)).containsExactly("a");
    assertThat(joint.problems().get(0).message())
        .isEqualTo(
            "b can never apply: a, at policy.yaml, matches all of its requests first; move this"
                + " rule before it");
  }

  @Test
  void of_patternThatNeverMatches_isAWarning() {
    MergedPolicy joint =
        joined(
            file("{name: file, " + USERS + ", match: {path: /a//b}}"),
            now(ordered(1, 0, "{name: a, " + USERS + ", match: {path: '/login?x=1'}}")),
            now(ordered(2, 0, "{name: b, " + USERS + ", match: {path: /b}}")),
            now(ordered(3, 0, "{name: c, " + USERS + ", match: {path: /c;v=1}}")));

    assertThat(names(joint)).containsExactly("file", "a", "b", "c");
    assertThat(joint.problems()).isEmpty();
    assertThat(joint.warnings())
        .extracting(Problem::toString)
        .filteredOn(warning -> warning.contains("match.path"))
        .containsExactly(
            "row 1: warning: match.path: a path has no query; match query:NAME, or write %3F for a"
                + " question mark in the path: /login?x=1",
            "row 3: warning: match.path: path parameters are stripped before rules match; set"
                + " paths: {parameters: keep}: /c;v=1");
  }

  @Test
  void of_rowWithAMistake_isRejectedUnlessTheFileDeclaresTheName() {
    RuleCandidate row = now(ordered(1, 0, "{name: a, limit_keys: [ip], rate: 1/s}"));
    Policy undeclared = file("{name: file, " + USERS + "}");

    assertThat(joined(undeclared, row).problems())
        .singleElement()
        .asString()
        .contains("row 1: limit_keys: is not a built-in attribute: ip; did you mean ip:address?");
    Policy declared =
        Loading.policy("attributes: {ip: caller}\nrules: [{name: file, " + USERS + "}]");
    assertThat(names(joined(declared, row))).containsExactly("file", "a");
  }

  @Test
  void of_rowWithAMappedName_usesTheSourcesOfTheFile() {
    Policy mapped =
        Loading.policy(
            "attributes: {tenant: 'header:x-tenant'}\nrules: [{name: file, " + USERS + "}]");

    assertThat(joined(mapped, now(tenants(1))).policy().rules().get(1).limitKeys())
        .hasToString("[tenant|header:x-tenant]");
  }

  @Test
  void of_rowWithWarnings_reportsThemWhileItIsActive() {
    OrderedRule rule = tenants(1);
    Problem warning =
        new Problem(Problem.Severity.WARNING, rule.rule().at(), "burst", "is doubtful");
    RuleCandidate row = new RuleCandidate(rule, null, List.of(), List.of(warning));

    assertThat(joined(file("{name: file, " + USERS + "}"), row).warnings()).contains(warning);
    assertThat(joined(file("{name: tenants, " + USERS + "}"), row).warnings())
        .doesNotContain(warning);
  }

  private static OrderedRule tenants(long id) {
    return ordered(id, 0, "{name: tenants, limit_keys: [tenant], rate: 1/s}");
  }

  private static MergedPolicy joined(Policy files, RuleCandidate... candidates) {
    return MergedPolicy.of(files, "policy.yaml", List.of(candidates), MergedPolicy.RuleCheck.NONE);
  }

  private static RuleCandidate now(OrderedRule ordered) {
    return new RuleCandidate(ordered, null, List.of());
  }

  private static OrderedRule ordered(long id, int order, String yaml) {
    return new OrderedRule(rule(yaml, id), id, order, false);
  }

  private static Located<Rule> rule(String yaml, long id) {
    Problems problems = new Problems();
    Node node = Document.parse(yaml, "rule.yaml", problems);
    Located<Rule> read =
        RuleReader.read(new Located<>(node, Location.of("row " + id), ""), problems);
    assertThat(problems.errors()).isEmpty();
    return new Located<>(read.value(), Location.of("row " + id), "");
  }

  private static Policy file(String rule) {
    return PolicyLoader.parse("rules: [" + rule + "]", "policy.yaml").policy();
  }

  private static List<String> names(MergedPolicy joint) {
    return joint.policy().rules().stream().map(Rule::name).toList();
  }
}
