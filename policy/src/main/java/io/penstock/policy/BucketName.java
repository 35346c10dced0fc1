package io.penstock.policy;

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
   * @param position which of the limits of a rule, from 0
   */
  static String of(TierGroup group, int position, Mode mode) {
    String name = of(group);
    String which = position == 0 ? name : name + " " + position;
    return mode == Mode.SHADOW ? "shadow " + which : which;
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
