package io.penstock.policy;

import io.penstock.Limit;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names under which stores keep the buckets of a group. A name follows from what the group is
 * and not from its rules or their order, so that a policy that changes keeps what was consumed.
 */
final class BucketName {
  private BucketName() {}

  /**
   * The name of the buckets of one limit of a group's rules. What is behind the last space is ours:
   * there is none in the rest but behind its first word.
   *
   * @param rank which of the limits of a rule, as {@link #ranks} has it
   */
  static String of(TierGroup group, int rank, Mode mode) {
    String name = of(group);
    String which = rank == 0 ? name : name + " " + rank;
    return mode == Mode.SHADOW ? "shadow " + which : which;
  }

  /**
   * What tells the limits of a rule apart, for each: 0 is the slowest. So a limit that is written
   * elsewhere, or gets a faster one beside it, keeps its buckets.
   */
  static int[] ranks(List<Limit> limits) {
    int[] ranks = new int[limits.size()];
    for (int i = 0; i < ranks.length; i++) {
      for (int j = 0; j < ranks.length; j++) {
        int order = Double.compare(perSecond(limits.get(j)), perSecond(limits.get(i)));
        if (order < 0 || (order == 0 && j < i)) {
          ranks[i]++;
        }
      }
    }
    return ranks;
  }

  private static double perSecond(Limit limit) {
    Duration window = limit.window();
    return limit.burstThousandths() / (window.getSeconds() + window.getNano() / 1e9);
  }

  private static String of(TierGroup group) {
    KeyEncoder text = new KeyEncoder(null);
    text.begin();
    if (group.name() != null) {
      return text.safe("group ", group.name());
    }
    String keys = group.keys().stream().map(KeyPart::toString).collect(Collectors.joining(","));
    String places =
        group.places().conditions().stream().map(BucketName::text).collect(Collectors.joining(" "));
    return text.safe("by ", places.isEmpty() ? keys : keys + " at " + places);
  }

  private static String text(Condition condition) {
    if (condition instanceof Condition.OneOf oneOf) {
      return oneOf.subject() + "=" + list(oneOf.values().stream().sorted());
    }
    if (condition instanceof Condition.Like like) {
      return like.subject() + "~" + list(like.patterns().stream().map(Pattern::text));
    }
    return condition.toString();
  }

  /** With their lengths, so that none can pass for two or for what follows. */
  private static String list(Stream<String> values) {
    return values.map(value -> value.length() + ":" + value).collect(Collectors.joining(","));
  }
}
