package io.penstock.policy.cases;

import io.penstock.policy.load.Location;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of one case. Immutable.
 *
 * @param location the location of the case
 * @param sent how many requests were sent
 * @param failures in the order sent; empty if all responses were as expected
 */
public record CaseResult(String name, Location location, int sent, List<StepFailure> failures) {
  public CaseResult {
    failures = List.copyOf(failures);
  }

  public boolean passed() {
    return failures.isEmpty();
  }

  /** Describes the failures: one line for each request, and one for each field that differs. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (StepFailure failure : failures) {
      lines.add(failure.location() + ": " + name + ": " + request(failure));
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
