package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mistakes of newcomers, each of which would limit no request or the wrong ones. The first line of
 * a file states the severity and a part of the expected message.
 */
class NewcomersMistakesTest {
  private static final Path FOLDER = Path.of("src/test/resources/io/penstock/policy/mistakes");

  static Stream<Path> mistakes() throws IOException {
    return PolicyFiles.under(FOLDER).stream();
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void load_mistake_isReportedAtItsLocation(Path file) throws IOException {
    String expected = Files.readAllLines(file).get(0).substring("# ".length());
    Problem.Severity severity =
        expected.startsWith("error: ") ? Problem.Severity.ERROR : Problem.Severity.WARNING;
    String message = expected.substring(expected.indexOf(' ') + 1);

    assertThat(problems(file))
        .anySatisfy(
            problem -> {
              assertThat(problem.severity()).isEqualTo(severity);
              assertThat(problem.toString()).contains(message);
              assertThat(problem.location().line()).isGreaterThan(1);
            });
  }

  @Test
  void corpus_coversManyMistakes() throws IOException {
    assertThat(mistakes()).hasSizeGreaterThan(80);
  }

  private static List<Problem> problems(Path file) {
    try {
      return PolicyLoader.load(file).warnings();
    } catch (PolicyException e) {
      return e.problems();
    }
  }
}
