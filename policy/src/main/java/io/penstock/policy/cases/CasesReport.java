package io.penstock.policy.cases;

import java.util.ArrayList;
import java.util.List;

/**
 * The results of the cases of a file. Immutable.
 *
 * @param results one for each case, in file order
 */
public record CasesReport(List<CaseResult> results) {
  public CasesReport {
    results = List.copyOf(results);
  }

  public boolean passed() {
    return failed() == 0;
  }

  /** Returns how many cases failed. */
  public int failed() {
    return (int) results.stream().filter(result -> !result.passed()).count();
  }

  /** Returns how many requests were sent. */
  public long sent() {
    return results.stream().mapToLong(CaseResult::sent).sum();
  }

  /** Returns how many requests had unexpected responses. */
  public long requestsFailed() {
    return results.stream()
        .flatMap(result -> result.failures().stream())
        .mapToLong(StepFailure::failed)
        .sum();
  }

  /** Describes all failures, followed by a summary. The lines have no line endings. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    results.forEach(result -> lines.addAll(result.lines()));
    lines.add(
        counted(results.size(), "case")
            + ", "
            + failed()
            + " failed; "
            + counted(sent(), "request")
            + ", "
            + requestsFailed()
            + " failed");
    return lines;
  }

  private static String counted(long count, String noun) {
    return count + " " + noun + (count == 1 ? "" : "s");
  }
}
