package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The first policies that a user copies from the documentation cause no warnings. */
class FirstPoliciesTest {
  private static final Pattern HEREDOC =
      Pattern.compile("cat > \\w+\\.yaml <<'END'\\n(.*?)\\nEND\\n", Pattern.DOTALL);
  private static final Pattern YAML = Pattern.compile("```yaml\\n(rules:.*?)```", Pattern.DOTALL);

  @Test
  void gettingStarted_policies_causeNoWarnings() {
    List<String> policies =
        HEREDOC
            .matcher(DocumentedPolicies.page("getting-started.md"))
            .results()
            .map(found -> found.group(1))
            .toList();

    assertThat(policies).hasSizeGreaterThan(1);
    assertThat(policies)
        .allSatisfy(text -> assertThat(PolicyLoader.parse(text, "p.yaml").warnings()).isEmpty());
  }

  @Test
  void springPage_firstPolicy_causesNoWarnings() {
    MatchResult first =
        YAML.matcher(DocumentedPolicies.page("spring.md")).results().findFirst().orElseThrow();

    assertThat(PolicyLoader.parse(first.group(1), "p.yaml", Set.of("user_id")).warnings())
        .isEmpty();
    assertThat(PolicyLoader.parse(first.group(1), "p.yaml").warnings()).hasSize(1);
  }
}
