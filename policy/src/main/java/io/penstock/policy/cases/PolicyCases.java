package io.penstock.policy.cases;

import io.penstock.policy.Policy;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tests a policy by a file of cases. Takes no time but that of the computation: every case has a
 * clock of its own that stands where its requests say, and begins with full buckets.
 *
 * <pre>{@code
 * policy: policy.yaml
 * cases:
 *   - name: ten at once, and one more after a tenth of a second
 *     requests:
 *       - {request: {attributes: {user_id: u}}, times: 10, expect: {allowed: true}}
 *       - {request: {attributes: {user_id: u}}, expect: {allowed: false, retry_after_ms: 100}}
 *       - {at: 100ms, request: {attributes: {user_id: u}}, expect: {allowed: true, remaining: 0}}
 * }</pre>
 *
 * <p>A request is stated as in {@code POST /v1/check}, and expectations name fields of its answer.
 * Each of {@code times} equal requests has to meet them; what changes from one to the next ({@code
 * remaining}, {@code reset_after_ms}, {@code delay_ms}) is expected of the last.
 */
public final class PolicyCases {
  private PolicyCases() {}

  /**
   * Runs the cases of a file on the policy that it names, relative to itself.
   *
   * @throws PolicyException if the file or the policy can't be used
   */
  public static CasesReport run(Path casesFile) {
    Problems problems = new Problems();
    CasesFile file = CasesFile.read(casesFile, problems);
    Policy policy = policyOf(file, problems);
    problems.throwIfErrors();
    return run(file, Objects.requireNonNull(policy));
  }

  /**
   * Runs the cases of a file on {@code policy}, whatever policy the file names.
   *
   * @throws PolicyException if the file can't be used
   */
  public static CasesReport run(Path casesFile, Policy policy) {
    Problems problems = new Problems();
    CasesFile file = CasesFile.read(casesFile, problems);
    problems.throwIfErrors();
    return run(file, policy);
  }

  private static CasesReport run(CasesFile file, Policy policy) {
    return new CasesReport(
        file.cases().stream().map(policyCase -> CaseRun.of(policyCase, policy)).toList());
  }

  /** The policy that the file names; null, and errors, if it can't be used. */
  private static @Nullable Policy policyOf(CasesFile file, Problems problems) {
    Path policy = file.policy();
    if (policy == null) {
      if (problems.errorCount() == 0) {
        problems.error(file.place(), "policy", "is required, as no policy is given otherwise");
      }
      return null;
    }
    try {
      return PolicyLoader.load(policy).policy();
    } catch (PolicyException e) {
      for (Problem problem : e.problems()) {
        problems.error(problem.location(), problem.path(), problem.message());
      }
      return null;
    }
  }
}
