package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import java.util.List;

/** Loads policies in tests. */
final class Loading {
  private Loading() {}

  static Policy policy(String yaml) {
    return PolicyLoader.parse(yaml, "p.yaml").policy();
  }

  /** Returns the only rule of a policy, given its fields in one line. */
  static Rule rule(String fields) {
    return policy("{" + fields + "}").rules().get(0);
  }

  /** Returns a rule named r for all requests, with additional fields. */
  static Rule plain(String fields) {
    return rule(ofPlain(fields));
  }

  static String ofPlain(String fields) {
    return "name: r, limit_keys: [], " + fields;
  }

  static List<String> errors(String yaml) {
    return lines(problems(yaml));
  }

  static List<Problem> problems(String yaml) {
    return problems(yaml, "p.yaml");
  }

  static List<Problem> problems(String text, String name) {
    PolicyException rejected =
        catchThrowableOfType(PolicyException.class, () -> PolicyLoader.parse(text, name));
    return rejected == null ? List.of() : rejected.problems();
  }

  /** Returns the errors of a rule named r, without their locations. */
  static List<String> plainErrors(String fields) {
    return errors("{" + ofPlain(fields) + "}").stream().map(Loading::withoutLocation).toList();
  }

  static List<String> plainWarnings(String fields) {
    return warnings("{" + ofPlain(fields) + "}").stream().map(Loading::withoutLocation).toList();
  }

  static List<String> warnings(String yaml) {
    return lines(PolicyLoader.parse(yaml, "p.yaml").warnings());
  }

  private static List<String> lines(List<Problem> problems) {
    return problems.stream().map(Problem::toString).toList();
  }

  private static String withoutLocation(String line) {
    return line.replaceFirst("^p\\.yaml:\\d+:\\d+: (warning: )?", "");
  }
}
