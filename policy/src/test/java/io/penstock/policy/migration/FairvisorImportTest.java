package io.penstock.policy.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.policy.Rule;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FairvisorImportTest {
  private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");

  @TempDir private Path folder;

  private ImportedPolicy imported(String bundle) throws IOException {
    return FairvisorImport.of(List.of(Files.writeString(folder.resolve("b.json"), bundle)), NOW);
  }

  private static String bundle(String policies) {
    return "{\"bundle_version\": 1, \"policies\": [" + policies + "]}";
  }

  private static String policy(String selector, String rules) {
    return "{\"id\": \"p\", \"spec\": {\"selector\": " + selector + ", \"rules\": " + rules + "}}";
  }

  @Test
  void of_bundle_isAPolicyWithComments() throws IOException {
    ImportedPolicy imported =
        imported(
            """
            {"bundle_version": 7, "issued_at": "2026-01-01T00:00:00Z",
             "policies": [
              {"id": "api", "spec": {
                "selector": {"pathPrefix": "/api/", "methods": ["GET", "POST"], "hosts": ["a.example.com"]},
                "mode": "shadow",
                "rules": [
                 {"name": "per-key", "limit_keys": ["header:x-api-key"], "algorithm": "token_bucket",
                  "algorithm_config": {"tokens_per_second": 50, "burst": 100}},
                 {"name": "pro", "limit_keys": ["jwt:sub"], "match": {"jwt:plan": "pro"},
                  "algorithm": "cost_based", "algorithm_config": {"budget": 1000, "period": "1d",
                   "cost_key": "header:x-cost", "default_cost": 2,
                   "staged_actions": [{"threshold_percent": 100, "action": "reject"}]}}]}}],
             "kill_switches": [{"scope_key": "jwt:org", "scope_value": "evil", "route": "/api/{x}",
               "reason": "abuse"}]}
            """);

    assertThat(imported.policy())
        .isEqualTo(
            """
            # From %1$s, for Fairvisor.
            rules:
              # %1$s:13:20
              # Denies every request: none fits into the burst.
              - name: "kill switch jwt:org=evil"
                description: "abuse"
                limit_keys: []
                match: {path: "/api/%%7Bx%%7D", "jwt:org": "evil"}
                group: "kill switch jwt:org=evil"
                rate: 0.001/d
                burst: 0.001
              # %1$s:7:6
              - name: "per-key"
                limit_keys: ["header:x-api-key"]
                match: {path: ["/api/*"], method: ["GET", "POST"], host: ["a.example.com"]}
                group: "per-key"
                on_missing_key: skip
                rate: 50/s
                burst: 100
                mode: shadow
              # %1$s:9:6
              - name: "pro"
                limit_keys: ["jwt:sub"]
                match: {path: ["/api/*"], method: ["GET", "POST"], host: ["a.example.com"], "jwt:plan": "pro"}
                group: "pro"
                on_missing_key: skip
                algorithm: fixed_window
                limit: 1000
                window: 1d
                cost_source: "header:x-cost"
                default_cost: 2
                mode: shadow
            """
                .formatted(folder.resolve("b.json")));
    // A policy with claims needs a section that a bundle doesn't have.
    assertThat(imported.problems())
        .extracting(Problem::message)
        .allMatch(message -> message.contains("jwt"));
  }

  @Test
  void of_policiesWithoutClaims_areValid() throws IOException {
    ImportedPolicy imported =
        imported(
            bundle(
                policy(
                    "{\"pathPrefix\": \"/\"}",
                    """
                    [{"name": "a", "limit_keys": ["ip:address"], "algorithm": "token_bucket",
                      "algorithm_config": {"rps": 5, "burst": 10, "fixed_cost": 2}},
                     {"name": "b", "limit_keys": ["ip:address"], "algorithm": "token_bucket",
                      "algorithm_config": {"rps": 1, "burst": 3}}]
                    """)));

    assertThat(imported.problems()).isEmpty();
    // Both rules apply, although rules with the same keys are otherwise tiers.
    assertThat(PolicyLoader.parse(imported.policy(), "p.yaml").policy().rules())
        .extracting(Rule::group)
        .doesNotHaveDuplicates()
        .hasSize(2);
  }

  @Test
  void of_fallbackOfASingleRule_isATier() throws IOException {
    ImportedPolicy imported =
        imported(
            bundle(
                """
                {"id": "p", "spec": {"selector": {"pathExact": "/x"}, "rules": [
                  {"name": "gold", "limit_keys": ["header:x-user"], "match": {"header:x-plan": "gold"},
                   "algorithm": "token_bucket", "algorithm_config": {"rps": 5, "burst": 10}}],
                 "fallback_limit": {"limit_keys": ["ip:address"], "algorithm": "token_bucket",
                   "algorithm_config": {"rps": 1, "burst": 2}}}}
                """));

    assertThat(imported.problems()).isEmpty();
    assertThat(PolicyLoader.parse(imported.policy(), "p.yaml").policy().rules())
        .extracting(Rule::group)
        .containsExactly("p with fallback", "p with fallback");
  }

  @Test
  void of_whatRulesCannotExpress_isReported() throws IOException {
    ImportedPolicy imported =
        imported(
            """
            {"bundle_version": 1, "expires_at": "2030-01-01T00:00:00Z", "defaults": {"x": 1},
             "global_shadow": {"enabled": true, "reason": "trial", "expires_at": "2027-01-01T00:00:00Z"},
             "kill_switches": [{"scope_key": "ua:bot", "scope_value": "true"}],
             "policies": [
              {"id": "p", "spec": {"selector": {"pathPrefix": "/"},
                "loop_detection": {"enabled": true, "window_seconds": 5, "threshold_identical_requests": 3},
                "circuit_breaker": {"enabled": false},
                "rules": [
                 {"name": "geo", "limit_keys": ["ip:country"], "algorithm": "token_bucket",
                  "algorithm_config": {"rps": 5, "burst": 10}},
                 {"name": "llm", "limit_keys": ["header:x-org"], "algorithm": "token_bucket_llm",
                  "algorithm_config": {"tokens_per_minute": 100, "tokens_per_day": 500,
                   "max_prompt_tokens": 20}},
                 {"name": "budget", "limit_keys": ["header:x-org"], "algorithm": "cost_based",
                  "algorithm_config": {"budget": 5, "period": "7d", "staged_actions": [
                   {"threshold_percent": 80, "action": "warn"},
                   {"threshold_percent": 100, "action": "reject"}]}}]}},
              {"id": "nowhere", "spec": {"selector": {}, "rules": []}}]}
            """);

    assertThat(imported.problems())
        .extracting(problem -> problem.message().replace("has no equivalent in a policy: ", ""))
        .containsExactlyInAnyOrder(
            "expires_at: the policy does not expire",
            "expires_at: mode: shadow stays until it is removed",
            "kill switch by ua:bot",
            "loop_detection",
            "a rule by ip:country",
            "the estimate of tokens from the prompt; x-token-estimate has to state it",
            "token_bucket_llm: max_prompt_tokens",
            "weeks from Sunday on; the windows of 7d start on Thursdays",
            "the action warn before the budget is spent",
            "a policy without pathExact and pathPrefix, which matches nothing",
            "defaults");
    assertThat(imported.policy()).contains("mode: shadow\n").doesNotContain("geo");
  }

  @Test
  void of_malformedBundle_isRejectedWithLocations() {
    PolicyException rejected =
        catchThrowableOfType(
            PolicyException.class,
            () -> imported("{\"bundle_version\": 1, \"policies\": [{\"id\": [1], \"spec\": 2}]}"));

    assertThat(rejected.problems())
        .extracting(problem -> problem.location().column())
        .containsExactly(43, 56);
  }
}
