package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Policy;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.MergedPolicy;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The mistakes of newcomers in the corpus of the module policy, as rows of the table. The first
 * line of a file states the severity and a part of the expected message.
 */
class MistakesInRowsTest {
  private static final Path CORPUS =
      Path.of("../policy/src/test/resources/io/penstock/policy/mistakes");

  /**
   * Mistakes that the table excludes: {@code {ip}} in a key pattern means ip:address, the column of
   * the keys is required and not a list, and a constraint requires {@code match} to be an object.
   */
  private static final Set<String> ONLY_IN_FILES =
      Set.of(
          "key-alternative-ip.yaml",
          "key-ip.yaml",
          "key-not-a-list.yaml",
          "key-singular.yaml",
          "match-text-path.yaml",
          "match-text.yaml");

  static Stream<Path> mistakes() throws IOException {
    try (Stream<Path> files = Files.list(CORPUS)) {
      return files
          .filter(file -> !ONLY_IN_FILES.contains(String.valueOf(file.getFileName())))
          .filter(file -> rule(file) != null)
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void merge_rowWithAMistake_isReported(Path file) throws IOException {
    String expected = Files.readAllLines(file).get(0).substring("# ".length());
    boolean isError = expected.startsWith("error: ");
    String message = expected.substring(expected.indexOf(' ') + 1);

    MergedPolicy merged = merged(Objects.requireNonNull(rule(file)));

    List<Problem> reported = isError ? merged.problems() : merged.warnings();
    assertThat(reported)
        .extracting(Problem::toString)
        .anyMatch(
            problem -> problem.startsWith("rate_limit_rule 1: ") && problem.contains(message));
    assertThat(merged.databaseRules()).hasSize(isError ? 0 : 1);
  }

  @Test
  void corpus_coversMostMistakes() throws IOException {
    assertThat(mistakes())
        .extracting(file -> String.valueOf(file.getFileName()))
        .hasSizeGreaterThan(60)
        .contains(
            "fail-open.yaml",
            "key-bare.yaml",
            "key-jwt-without-section.yaml",
            "key-shared.yaml",
            "match-method-unknown.yaml",
            "match-methods.yaml",
            "network-host-bits.yaml",
            "network-prefix.yaml",
            "path-class.yaml");
  }

  private static MergedPolicy merged(Node rule) {
    Problems problems = new Problems();
    RuleContent content = RuleColumns.of(new Located<>(rule, rule.at(), ""), true, problems);
    assertThat(problems.errors()).isEmpty();
    StoredRule row = new StoredRule(1, 1, Instant.EPOCH, Objects.requireNonNull(content));
    return MergedPolicy.of(
        Policy.of(), "", new RuleCandidates().of(List.of(row)), MergedPolicy.RuleCheck.NONE);
  }

  /** Returns the rule of a file; null unless the file consists of one rule. */
  private static @Nullable Node rule(Path file) {
    return Document.read(file, new Problems()) instanceof Node.Mapping policy
            && policy.entries().keySet().equals(Set.of("rules"))
            && policy.entries().get("rules").value() instanceof Node.Sequence rules
            && rules.items().size() == 1
        ? rules.items().get(0)
        : null;
  }
}
