package io.penstock.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.Policy;
import io.penstock.policy.load.LoadedPolicy;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problem.Severity;
import io.penstock.policy.load.ProblemPrinter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code penstock validate}. */
@Command(
    name = "validate",
    description = "Checks policies and reports all errors with their locations.",
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:all policies are valid",
      "2:some are invalid; with --strict, or have warnings"
    },
    footerHeading = "%nExample:%n",
    footer = "  penstock validate --strict policy.yaml")
final class ValidateCommand implements Callable<Integer> {
  private static final Path STANDARD_INPUT = Path.of("-");
  private final Console console;

  @Parameters(
      paramLabel = "POLICY",
      arity = "1..*",
      description =
          "A policy file, or a folder of files that form one policy; - reads standard input.")
  private List<Path> paths = new ArrayList<>();

  @Option(names = "--strict", description = "Treats warnings as errors.")
  private boolean strict;

  @Option(names = "--format", paramLabel = "FORM", description = Format.HELP)
  private Format format = Format.TEXT;

  ValidateCommand(Console console) {
    this.console = console;
  }

  /**
   * The result of checking a policy.
   *
   * @param rules the number of rules; 0 if the policy is invalid
   */
  private record CheckedPolicy(
      Path path, int rules, List<Problem> errors, List<Problem> warnings, List<Problem> notes) {
    static CheckedPolicy of(Path path, InputStream in, ProblemPrinter printer) {
      try {
        LoadedPolicy loaded =
            path.equals(STANDARD_INPUT) ? parse(in, printer) : PolicyLoader.load(path);
        return new CheckedPolicy(
            path,
            loaded.policy().rules().size(),
            List.of(),
            loaded.warnings(),
            notes(loaded.policy(), path));
      } catch (PolicyException e) {
        return new CheckedPolicy(path, 0, e.problems(), e.warnings(), List.of());
      } catch (IOException e) {
        String reason = "can't be read: " + e.getMessage();
        Location input = Location.of(path.toString());
        return new CheckedPolicy(
            path, 0, List.of(new Problem(Severity.ERROR, input, "", reason)), List.of(), List.of());
      }
    }

    /**
     * Applications with {@code @RateLimited} need no other rules, and shadow rules are a step of a
     * rollout, so this is not a warning.
     */
    private static List<Problem> notes(Policy policy, Path path) {
      return policy.whyNothingIsDenied().stream()
          .map(note -> new Problem(Severity.NOTE, Location.of(path.toString()), "rules", note))
          .toList();
    }

    private static LoadedPolicy parse(InputStream in, ProblemPrinter printer) throws IOException {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      printer.source(STANDARD_INPUT.toString(), text);
      return PolicyLoader.parse(text, STANDARD_INPUT.toString());
    }

    Stream<Problem> problems() {
      return Stream.of(errors, warnings, notes).flatMap(List::stream);
    }

    boolean valid(boolean strict) {
      return errors.isEmpty() && !(strict && !warnings.isEmpty());
    }
  }

  @Override
  public Integer call() {
    ProblemPrinter printer = new ProblemPrinter(console.out()::println, console.isColored());
    List<CheckedPolicy> all =
        paths.stream().map(path -> CheckedPolicy.of(path, console.in(), printer)).toList();
    List<Problem> problems = all.stream().flatMap(CheckedPolicy::problems).toList();
    if (format == Format.JSON) {
      console.out().println(JsonText.of(json -> write(all, problems, json)));
    } else {
      printer.print(problems);
      console.out().println(summary(all));
    }
    return console.exitStatus(
        all.stream().allMatch(checked -> checked.valid(strict)) ? Console.OK : Console.INVALID);
  }

  private String summary(List<CheckedPolicy> all) {
    long invalid = all.stream().filter(checked -> !checked.valid(strict)).count();
    int errors = all.stream().mapToInt(checked -> checked.errors.size()).sum();
    int warnings = all.stream().mapToInt(checked -> checked.warnings.size()).sum();
    int rules = all.stream().mapToInt(CheckedPolicy::rules).sum();
    String policies = all.size() == 1 ? "1 policy" : all.size() + " policies";
    return invalid == 0
        ? policies + " valid: " + Plurals.of(rules, "rule") + ", " + Plurals.of(warnings, "warning")
        : policies
            + ", "
            + invalid
            + " invalid: "
            + Plurals.of(errors, "error")
            + ", "
            + Plurals.of(warnings, "warning");
  }

  private void write(List<CheckedPolicy> all, List<Problem> problems, JsonGenerator json)
      throws IOException {
    json.writeStartObject();
    json.writeBooleanField("valid", all.stream().allMatch(checked -> checked.valid(strict)));
    json.writeArrayFieldStart("policies");
    for (CheckedPolicy checked : all) {
      json.writeStartObject();
      json.writeStringField("file", checked.path.toString());
      json.writeBooleanField("valid", checked.valid(strict));
      json.writeNumberField("rules", checked.rules);
      json.writeNumberField("errors", checked.errors.size());
      json.writeNumberField("warnings", checked.warnings.size());
      json.writeEndObject();
    }
    json.writeEndArray();
    JsonText.writeProblems(problems, json);
    json.writeEndObject();
  }
}
