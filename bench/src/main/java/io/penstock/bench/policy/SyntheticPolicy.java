package io.penstock.bench.policy;

import io.penstock.bench.local.Keys;
import io.penstock.bench.local.LocalLimits;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.Condition;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Match;
import io.penstock.policy.Pattern;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Generates policies of any size in which three rules apply to each request of {@link Callers}: a
 * tier by user, one for the endpoint, and one for all requests. The other rules are typical for a
 * large service: more endpoints, with and without a wildcard, more tenants with their own tier,
 * more hosts, and callers identified by a header.
 */
final class SyntheticPolicy {
  private static final List<String> BY_USER = List.of("user_id");
  private static final List<String> BY_TENANT = List.of("tenant");

  /** The number of kinds of the other rules. */
  private static final int KINDS = 5;

  private SyntheticPolicy() {}

  /** Returns a policy of {@code size} rules, five of which apply to some request. */
  static Policy of(int size) {
    List<Rule> applying =
        List.of(
            rule("search", BY_USER, where("path", Callers.SEARCH)),
            rule("orders", BY_TENANT, where("path", Callers.ORDERS + "*")),
            rule("pro", BY_USER, where("plan", Callers.PRO)),
            rule("others", BY_USER),
            rule("global", List.of()));
    Stream<Rule> more = IntStream.range(0, size - applying.size()).mapToObj(SyntheticPolicy::other);
    return Policy.of(Stream.concat(more, applying.stream()).toArray(Rule[]::new));
  }

  /** Returns the number of tenants with their own tier in a policy of {@code size} rules. */
  static int tenants(int size) {
    return size / KINDS - 1;
  }

  private static Rule other(int i) {
    int which = i / KINDS;
    return switch (i % KINDS) {
      case 0 -> rule("path-" + which, BY_USER, where("path", path(which)));
      case 1 -> rule("paths-" + which, BY_TENANT, where("path", path(which) + "/*"));
      case 2 -> rule("tenant-" + which, BY_USER, where("tenant", Callers.tenant(which)));
      case 3 -> rule("host-" + which, BY_USER, where("host", "shop-" + which + ".example.com"));
      default ->
          rule("key-" + which, List.of(Callers.API_KEY), where(Callers.API_KEY, "k" + which));
    };
  }

  /** Returns a path with the same prefix as the requested paths. */
  private static String path(int which) {
    return "/api/v1/%s-%04d".formatted(which % 2 == 0 ? "orders" : "search", which);
  }

  private static Condition where(String attribute, String value) {
    KeyPart subject = part(attribute);
    AttributeSource source = subject.alternatives().get(0).source();
    return source == AttributeSource.PATH || source == AttributeSource.HOST
        ? new Condition.Like(subject, List.of(new Pattern(value)))
        : new Condition.OneOf(subject, Set.of(value));
  }

  private static KeyPart part(String attribute) {
    return KeyPart.parse(Keys.copy(attribute));
  }

  private static Rule rule(String name, List<String> keys, Condition... conditions) {
    return Rule.builder(name)
        .limitKeys(keys.stream().map(SyntheticPolicy::part).toList())
        .match(new Match(List.of(conditions)))
        .limits(List.of(LocalLimits.ALLOWED.limit()))
        .build();
  }
}
