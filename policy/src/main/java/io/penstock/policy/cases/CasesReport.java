package io.penstock.policy.cases;

import java.util.ArrayList;
import java.util.List;

/**
 * What came of the cases of a file. Immutable.
 *
 * @param results each case, in the order of the file
 */
public record CasesReport(List<CaseResult> results) {
  public CasesReport {
    results = List.copyOf(results);
  }

  public boolean passed() {
    return failed() == 0;
  }

  /** How many cases failed. */
  public int failed() {
    return (int) results.stream().filter(result -> !result.passed()).count();
  }

  /** How many requests were sent. */
  public long sent() {
    return results.stream().mapToLong(CaseResult::sent).sum();
  }

  /** How many of the requests sent were not answered as expected. */
  public long requestsFailed() {
    return results.stream()
        .flatMap(result -> result.failures().stream())
        .mapToLong(StepFailure::failed)
        .sum();
  }

  /** All that failed and a summary, for people; without line ends. */
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

  private static String counted(long count, String what) {
    return count + " " + what + (count == 1 ? "" : "s");
  }
}
