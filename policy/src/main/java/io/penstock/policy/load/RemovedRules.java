package io.penstock.policy.load;

import io.penstock.policy.Policy;
import org.jspecify.annotations.Nullable;

/** Notices when a reload leaves little of a policy, as half of a file does. */
public final class RemovedRules {
  private RemovedRules() {}

  /** What to warn about when one policy replaces another; null if most of the rules stay. */
  public static @Nullable String warning(Policy before, Policy after) {
    int had = before.rules().size();
    int has = after.rules().size();
    return 2 * has >= had
        ? null
        : "the reload removed most rules (" + had + " before, " + has + " now): is it complete?";
  }
}
