package io.penstock.policy.load;

import io.penstock.policy.Policy;
import org.jspecify.annotations.Nullable;

/** Detects reloads that remove most of a policy, as a truncated file does. */
public final class RemovedRules {
  private RemovedRules() {}

  /**
   * Returns a warning if the new policy has fewer than half as many rules as the old one; otherwise
   * null.
   */
  public static @Nullable String warning(Policy before, Policy after) {
    int countBefore = before.rules().size();
    int countAfter = after.rules().size();
    return 2 * countAfter >= countBefore
        ? null
        : "the reload removed most rules ("
            + countBefore
            + " before, "
            + countAfter
            + " now): is it complete?";
  }
}
