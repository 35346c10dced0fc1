package io.penstock.server;

import io.penstock.policy.load.LoadedPolicy;
import io.penstock.policy.load.Problem;
import java.time.Instant;
import java.util.List;

/**
 * A policy that is in force, and what is known about it. Immutable.
 *
 * @param origin where it is from
 * @param since when it was loaded
 * @param rejected why what is there now is not in force; empty if it is
 */
public record ActivePolicy(
    LoadedPolicy loaded, String origin, Instant since, List<Problem> rejected) {
  public ActivePolicy {
    rejected = List.copyOf(rejected);
  }

  ActivePolicy butNot(List<Problem> problems) {
    return new ActivePolicy(loaded, origin, since, problems);
  }
}
