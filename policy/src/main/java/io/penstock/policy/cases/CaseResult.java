package io.penstock.policy.cases;

import io.penstock.policy.load.Location;
import java.util.ArrayList;
import java.util.List;

/**
 * What came of one case. Immutable.
 *
 * @param place where the case is written
 * @param sent how many requests were sent
 * @param failures in the order sent; none if all was as expected
 */
public record CaseResult(String name, Location place, int sent, List<StepFailure> failures) {
  public CaseResult {
    failures = List.copyOf(failures);
  }

  public boolean passed() {
    return failures.isEmpty();
  }

  /** What failed, for people: a line for each request and one for each field that differed. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (StepFailure failure : failures) {
      lines.add(failure.place() + ": " + name + ": " + request(failure));
      failure.mismatches().forEach(mismatch -> lines.add("    " + mismatch));
    }
    return lines;
  }

  private static String request(StepFailure failure) {
    String request = "request " + failure.request() + " at " + failure.at().toMillis() + "ms";
    if (failure.times() == 1) {
      return request;
    }
    return request
        + ", time "
        + failure.time()
        + " of "
        + failure.times()
        + (failure.failed() == 1 ? "" : " and " + (failure.failed() - 1) + " more");
  }
}
