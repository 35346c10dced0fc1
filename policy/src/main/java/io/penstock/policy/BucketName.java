package io.penstock.policy;

import io.penstock.Limit;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names under which stores keep the buckets of a group. A name derives from the definition of
 * the group and not from its rules or their order, so changing a policy keeps what was consumed.
 */
final class BucketName {
  private BucketName() {}

  /**
   * Returns the name of the buckets for one limit of the rules of a group. The rank follows the
   * last space. This is unambiguous because the rest has a space only after its first word.
   *
   * @param rank the rank of the limit within its rule, from {@link #ranks}
   */
  static String of(TierGroup group, int rank, Mode mode) {
    String name = of(group);
    String ranked = rank == 0 ? name : name + " " + rank;
    return mode == Mode.SHADOW ? "shadow " + ranked : ranked;
  }

  /**
   * Returns the rank of each limit of a rule; 0 is the slowest. A limit therefore keeps its buckets
   * when limits are reordered or a faster one is added.
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
      return text.encode("group ", group.name());
    }
    String keys = group.keys().stream().map(KeyPart::toString).collect(Collectors.joining(","));
    String route =
        group.route().conditions().stream().map(BucketName::text).collect(Collectors.joining(" "));
    return text.encode("by ", route.isEmpty() ? keys : keys + " at " + route);
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

  /**
   * Prefixes each value with its length, so that no value can be mistaken for two values or for the
   * text that follows.
   */
  private static String list(Stream<String> values) {
    return values.map(value -> value.length() + ":" + value).collect(Collectors.joining(","));
  }
}
