package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.SamplePolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The loader accepts and prints what the documentation shows. */
class DocumentedPoliciesTest {
  private static final List<String> PAGES = List.of("policy.md", "choosing-limits.md");

  @TempDir Path folder;

  static Stream<DocumentedPolicies.Shown> policies() {
    return PAGES.stream().flatMap(page -> DocumentedPolicies.of(page).stream());
  }

  @ParameterizedTest
  @MethodSource("policies")
  void load_policyOfAPage_isAsThePageSays(DocumentedPolicies.Shown shown) throws IOException {
    Files.writeString(folder.resolve("key-secret"), "pepper\n");
    Path file = Files.writeString(folder.resolve(shown.name()), whole(shown));

    assertThat(printed(file, shown.marker().equals("warned")))
        .as("%s", shown.text())
        .isEqualTo(shown.marker().isEmpty() || isName(shown) ? "" : shown.printed());
    if (!shown.marker().equals("rejected")) {
      assertThat(Schema.errors(whole(shown), shown.name())).isEmpty();
    }
  }

  private static boolean isName(DocumentedPolicies.Shown shown) {
    return shown.marker().startsWith("example ") || shown.marker().equals("sample");
  }

  /** Adds a rule to partial policies, because a policy must have one. */
  private static String whole(DocumentedPolicies.Shown shown) {
    boolean hasRules = shown.text().contains("rules") || shown.text().contains("limit_keys");
    return shown.text()
        + (hasRules ? "" : "rules: [{name: any, limit_keys: [user_id], rate: 1/s}]\n");
  }

  private String printed(Path file, boolean isWarned) {
    try {
      return lines(
          PolicyLoader.load(file).warnings().stream()
              .filter(warning -> isWarned || !isAboutNames(warning))
              .toList());
    } catch (PolicyException e) {
      return lines(e.problems());
    }
  }

  /** Most examples are excerpts, and don't declare the names that callers supply. */
  private static boolean isAboutNames(Problem warning) {
    return warning.message().startsWith("is not a part of an HTTP request");
  }

  private String lines(List<Problem> problems) {
    return problems.stream()
        .map(problem -> problem.toString().replace(folder + "/", "") + "\n")
        .collect(Collectors.joining());
  }

  @Test
  void pages_haveThePoliciesThatTheyShouldHave() {
    assertThat(policies().count()).isGreaterThan(30);
    assertThat(policies().filter(shown -> shown.marker().equals("rejected"))).hasSize(4);
    assertThat(policies().map(DocumentedPolicies.Shown::marker))
        .allMatch(marker -> marker.matches("|rejected|warned|sample|example [a-z-]+"));
  }

  @Test
  void reference_showsTheSampleAsItIs() {
    assertThat(DocumentedPolicies.of("policy.md"))
        .filteredOn(shown -> shown.marker().equals("sample"))
        .extracting(DocumentedPolicies.Shown::text)
        .containsExactly(SamplePolicy.text());
  }

  @Test
  void reference_namesEveryFieldAndEveryWord() {
    TreeSet<String> names = new TreeSet<>();
    Schema.TREE
        .findValues("properties")
        .forEach(fields -> fields.fieldNames().forEachRemaining(names::add));
    Schema.TREE
        .at("/$defs/ruleFields")
        .findValues("enum")
        .forEach(words -> words.forEach(word -> names.add(word.asText())));
    String page = DocumentedPolicies.page("policy.md");

    assertThat(names).hasSizeGreaterThan(50).allMatch(name -> page.contains("`" + name + "`"));
  }
}
