package io.penstock.policy.cases;

import io.penstock.Limit;
import io.penstock.policy.Attribute;
import io.penstock.policy.Attribute.AttributeSource;
import io.penstock.policy.Condition;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.KeyPart;
import io.penstock.policy.Policy;
import io.penstock.policy.Rule;
import io.penstock.policy.cases.CaseRun.RequestCounts;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request that a policy denies when it is repeated. Immutable. Examples are tried out on a
 * virtual clock before they are returned, so exempt requests, other rules and shadow mode are taken
 * into account.
 *
 * @param rule the name of the rule that denies the last request
 * @param values the attributes of the request
 * @param cost the cost of each request in whole tokens; 0 if the request doesn't set it
 * @param times how many requests to send until one is denied, at most
 * @param exact whether exactly the last request is denied. Otherwise it depends on how fast they
 *     are sent, because the bucket refills in the meantime
 */
public record DenialExample(
    String rule, Map<Attribute, String> values, long cost, int times, boolean exact) {
  /** More requests are tedious to send by hand. */
  static final int MAX_TIMES = 20;

  /** The max number of requests for examples that are not exact. */
  static final int MAX_INEXACT_TIMES = 60;

  private static final int MAX_RULES = 200;
  private static final int TOKEN = 1_000;
  private static final Attribute ADDRESS = new Attribute(AttributeSource.ADDRESS, "");

  /** What an HTTP client on this machine sends without options. */
  private static final Map<Attribute, String> PLAIN_HTTP =
      Map.of(
          ADDRESS,
          "127.0.0.1",
          new Attribute(AttributeSource.METHOD, ""),
          "GET",
          new Attribute(AttributeSource.PATH, ""),
          "/",
          new Attribute(AttributeSource.HOST, ""),
          "localhost");

  private static final Set<AttributeSource> HTTP =
      EnumSet.of(
          AttributeSource.METHOD,
          AttributeSource.PATH,
          AttributeSource.HOST,
          AttributeSource.HEADER);

  /**
   * Returns an example that an HTTP client on this machine can send. Its values don't include the
   * address, and include the method, path and host only if they differ from {@code GET}, {@code /}
   * and {@code localhost}.
   */
  public static Optional<DenialExample> overHttp(Policy policy) {
    return find(policy, PLAIN_HTTP, HTTP, false)
        .or(() -> find(policy, PLAIN_HTTP, HTTP, false, MAX_INEXACT_TIMES));
  }

  /**
   * Returns an exact example whose attributes are described in JSON, as for {@code POST /v1/check}.
   */
  public static Optional<DenialExample> described(Policy policy) {
    Set<AttributeSource> all = EnumSet.allOf(AttributeSource.class);
    return find(policy, Map.of(), all, false).or(() -> find(policy, Map.of(), all, true));
  }

  private static Optional<DenialExample> find(
      Policy policy, Map<Attribute, String> base, Set<AttributeSource> settable, boolean costly) {
    return find(policy, base, settable, costly, MAX_TIMES).filter(DenialExample::exact);
  }

  /** Returns the example with the fewest requests; an exact one if there is any. */
  private static Optional<DenialExample> find(
      Policy policy,
      Map<Attribute, String> base,
      Set<AttributeSource> settable,
      boolean costly,
      int maxTimes) {
    DenialExample best = null;
    try (CaseRun run = new CaseRun(policy)) {
      for (Rule rule : policy.rules().subList(0, Math.min(MAX_RULES, policy.rules().size()))) {
        Map<Attribute, String> set = values(rule, base, settable);
        if (set == null || rule.isManual() || rule.isUnlimited()) {
          continue;
        }
        long cost = costly ? wholeBurst(rule) : 0;
        RequestCounts counts = run.requestsUntilDenied(rule, request(base, set, cost), maxTimes);
        if (counts != null) {
          boolean exact = counts.fast() == counts.slow();
          DenialExample found = new DenialExample(rule.name(), set, cost, counts.slow(), exact);
          best = best == null || found.isSimplerThan(best) ? found : best;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  private boolean isSimplerThan(DenialExample other) {
    return exact == other.exact ? times < other.times : exact;
  }

  private static long wholeBurst(Rule rule) {
    return rule.limits().stream().mapToLong(Limit::burstThousandths).min().orElse(0) / TOKEN;
  }

  private static ExplicitRequest request(
      Map<Attribute, String> base, Map<Attribute, String> set, long cost) {
    ExplicitRequest.Builder request = ExplicitRequest.builder();
    base.forEach(request::state);
    set.forEach(request::state);
    return cost == 0 ? request.build() : request.costThousandths(cost * TOKEN).build();
  }

  /** Returns the values that the rule needs beyond the base; null if some can't be set. */
  private static @Nullable Map<Attribute, String> values(
      Rule rule, Map<Attribute, String> base, Set<AttributeSource> settable) {
    Map<Attribute, String> values = new LinkedHashMap<>();
    for (Condition condition : rule.match().conditions()) {
      if (condition.accepts(request(base, values, 0))) {
        continue;
      }
      Attribute attribute = settable(condition.subject(), settable);
      if (attribute == null) {
        return null;
      }
      values.put(attribute, value(condition, attribute));
    }
    for (KeyPart part : rule.limitKeys()) {
      if (part.of(request(base, values, 0)) == null) {
        Attribute attribute = settable(part, settable);
        if (attribute == null) {
          return null;
        }
        values.put(attribute, example(attribute));
      }
    }
    return values;
  }

  private static @Nullable Attribute settable(KeyPart part, Set<AttributeSource> settable) {
    return part.alternatives().stream()
        .filter(attribute -> settable.contains(attribute.source()))
        .findFirst()
        .orElse(null);
  }

  private static String value(Condition condition, Attribute attribute) {
    if (condition instanceof Condition.Within within) {
      return within.networks().get(0).address().toString();
    }
    List<String> values = condition.values().stream().sorted().toList();
    if (!values.isEmpty()) {
      return values.get(0);
    }
    String text =
        condition instanceof Condition.Like like ? like.patterns().get(0).text() : "example";
    String filled = text.replace("*", "example");
    return attribute.source() == AttributeSource.PATH && !filled.startsWith("/")
        ? "/" + filled
        : filled;
  }

  private static String example(Attribute attribute) {
    return switch (attribute.source()) {
      case ADDRESS -> "192.0.2.1";
      case METHOD -> "GET";
      case PATH -> "/";
      case HOST -> "example.com";
      default -> "alice";
    };
  }
}
