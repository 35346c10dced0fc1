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
 * Tests a policy with a file of cases. Tests don't wait: every case starts with full buckets and
 * has its own clock, which is set to the times of its requests.
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
 * <p>A request is written as in {@code POST /v1/check}, and expectations refer to fields of the
 * response. All of {@code times} equal requests have to meet them. Fields that change from one
 * request to the next ({@code remaining}, {@code reset_after_ms}, {@code delay_ms}) are compared
 * for the last one only.
 */
public final class PolicyCases {
  private PolicyCases() {}

  /**
   * Runs the cases of a file on the policy that it names, relative to the file.
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
   * Runs the cases of a file on {@code policy}, regardless of the policy that the file names.
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

  /**
   * Returns the policy that the file names. Reports errors and returns null if it can't be used.
   */
  private static @Nullable Policy policyOf(CasesFile file, Problems problems) {
    Path policy = file.policy();
    if (policy == null) {
      if (problems.errorCount() == 0) {
        problems.error(
            file.location(), "policy", "is required unless a policy is given separately");
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
