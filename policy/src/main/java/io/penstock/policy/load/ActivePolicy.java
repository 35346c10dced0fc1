package io.penstock.policy.load;

import java.time.Instant;
import java.util.List;

/**
 * The active policy and its load state. Immutable.
 *
 * @param origin the file, folder or database that the policy comes from
 * @param since the load time
 * @param rejected the errors of the current sources if they are invalid and not in effect;
 *     otherwise empty
 */
public record ActivePolicy(
    LoadedPolicy loaded, String origin, Instant since, List<Problem> rejected) {
  public ActivePolicy {
    rejected = List.copyOf(rejected);
  }

  /** Returns the state after a policy has been loaded now. */
  public static ActivePolicy of(LoadedPolicy loaded, String origin) {
    return new ActivePolicy(loaded, origin, Instant.now(), List.of());
  }

  /** Returns the state after the sources have become invalid. */
  public ActivePolicy withRejected(List<Problem> problems) {
    return new ActivePolicy(loaded, origin, since, problems);
  }
}
