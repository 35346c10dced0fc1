package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ProblemsTest {
  private static final Location SOMEWHERE = new Location("p.yaml", 1, 1);

  @Test
  void errors_moreThanAreKept_areTheFirstAndACount() {
    Problems problems = new Problems(2);
    for (int i = 0; i < 12_347; i++) {
      problems.error(new Location("p.yaml", 12_347 - i, 1), "f" + i, "is wrong");
    }

    assertThat(problems.errorCount()).isEqualTo(12_347);
    assertThat(problems.errors())
        .extracting(Problem::toString)
        .containsExactly(
            "p.yaml:12346:1: f1: is wrong",
            "p.yaml:12347:1: f0: is wrong",
            "p.yaml: … and 12,345 more");
  }

  @Test
  void warnings_moreThanAreKept_areTheFirstAndACount() {
    Problems problems = new Problems(1);
    problems.warning(SOMEWHERE, "a", "is odd");
    problems.warning(SOMEWHERE, "b", "is odd");

    assertThat(problems.warnings())
        .extracting(Problem::toString)
        .containsExactly("p.yaml:1:1: warning: a: is odd", "p.yaml: warning: … and 1 more");
    assertThat(problems.errors()).isEmpty();
  }

  @Test
  void load_policyInWhichEveryFieldIsUnknown_reportsABoundedNumber() {
    String fields =
        IntStream.range(0, 20_000)
            .mapToObj(i -> "\"x" + i + "\":1")
            .collect(Collectors.joining(",", "{\"rules\":[{", "}]}"));

    assertThatThrownBy(() -> PolicyLoader.parse(fields, "p.json"))
        .isInstanceOfSatisfying(
            PolicyException.class,
            e -> {
              assertThat(e.problems()).hasSize(1_001);
              assertThat(e.problems().get(1_000).message()).contains("… and 19,0");
            });
  }
}
