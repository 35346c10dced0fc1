package io.penstock.policy.load;

import static io.penstock.policy.load.FieldType.FLAG;
import static io.penstock.policy.load.FieldType.KEYS;
import static io.penstock.policy.load.FieldType.MATCH;
import static io.penstock.policy.load.FieldType.NAME;
import static io.penstock.policy.load.FieldType.TEXT;
import static io.penstock.policy.load.FieldType.choice;
import static io.penstock.policy.load.FieldType.joint;
import static io.penstock.policy.load.FieldType.jointText;
import static io.penstock.policy.load.FieldType.ordered;
import static io.penstock.policy.load.FieldType.whole;

import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.policy.MissingKey;
import io.penstock.policy.Mode;
import io.penstock.policy.RepeatedKey;
import io.penstock.policy.Rule;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;

/**
 * The fields of a rule, in the order in which documents and the API list them.
 *
 * <p>Only this list declares fields. The loader and the API use it directly; rows of the database
 * store every field without a column as an option. {@code RuleReferenceTest} compares the JSON
 * Schema, the OpenAPI document and docs/policy.md with it, and rewrites them.
 */
public final class RuleFields {
  static final Map<String, Mode> MODES = EnumFields.of(Mode.values());
  static final Map<String, OnLimit> ON_LIMIT = EnumFields.of(OnLimit.values());

  /** The values of {@code on_store_failure}; {@code share} selects the fourth policy. */
  static final Map<String, FailurePolicy> STORE_FAILURE =
      EnumFields.of(
          new FailurePolicy[] {FailurePolicy.LOCAL, FailurePolicy.OPEN, FailurePolicy.CLOSED});

  static final int DEFAULT_DELAY_MILLIS = 1_000;
  static final int MAX_DELAY_MILLIS = 600_000;

  /** The values of {@code on_limit}. */
  enum OnLimit {
    REJECT,
    DELAY
  }

  private static final int TOKEN_DECIMALS = 3;

  /** All fields. */
  public static final List<RuleField> ALL =
      List.of(
          RuleField.of("name", NAME)
              .required()
              .description(
                  "The name of the rule in responses, headers and metrics; unique in the policy. 1"
                      + " to 100 printable ASCII characters without `\"` and `\\`, not starting"
                      + " with `/`.")
              .shows(Rule::name)
              .readsJointly(),
          RuleField.of("description", TEXT)
              .description("Free text for readers of the policy.")
              .documentedDefault("empty")
              .showsOptional(rule -> rule.description().isEmpty() ? null : rule.description())
              .defaultValue("")
              .reads(Rule.Builder::description),
          RuleField.of("limit_keys", KEYS)
              .required()
              .description(
                  "Up to 8 request attributes whose values identify a bucket. `[]` is one bucket"
                      + " for all requests; `a|b` is the first attribute that a request has.")
              .see("Attributes")
              .shows(Rule::limitKeys)
              .reads(Rule.Builder::limitKeys),
          RuleField.of("match", MATCH)
              .description(
                  "The requests that the rule applies to: those that meet every condition.")
              .see("Match")
              .documentedDefault("every request")
              .defaultValue(Map.of())
              .shows(Rule::match)
              .reads(Rule.Builder::match),
          RuleField.of("group", NAME)
              .description(
                  "Joins rules as tiers: within a group, the first rule that matches applies, and"
                      + " all rules share their buckets. Same characters as `name`.")
              .see("Tiers and groups")
              .documentedDefault("derived from keys and route")
              .showsNullable(Rule::group)
              .reads(Rule.Builder::group),
          RuleField.of("scope", NAME)
              .description(
                  "A label for what the rule limits, such as `user` or `endpoint`; responses"
                      + " include it. Same characters as `name`.")
              .documentedDefault("none")
              .showsOptional(Rule::scope)
              .reads(Rule.Builder::scope),
          RuleField.of("on_missing_key", choice(EnumFields.of(MissingKey.values())))
              .description(
                  "How to handle a request that lacks one of the keys: `share` one bucket with all"
                      + " other requests that lack it, `skip` the rule, or `deny` the request. The"
                      + " default is `share` for attributes that clients can omit (`header`,"
                      + " `query`, `cookie`, `jwt`), otherwise `skip`.")
              .see("Missing keys")
              .documentedDefault("depends on the attribute")
              .showsNullable(Rule::onMissingKey)
              .reads(Rule.Builder::onMissingKey),
          RuleField.of("on_repeated_key", choice(EnumFields.of(RepeatedKey.values())))
              .description(
                  "How to handle a request with several values of an attribute in `limit_keys`,"
                      + " `match` or `cost_source`: `deny` it, or use the `first` value, the"
                      + " `last` value or all values (`join`).")
              .see("Repeated attributes")
              .shows(Rule::onRepeatedKey)
              .reads(Rule.Builder::onRepeatedKey),
          RuleField.of("rate", joint("rate", "5/s"))
              .in(RuleField.ReferenceTable.LIMIT)
              .description(
                  "The refill rate in tokens per period: `10/s`, `5/min`, `100/10s`, `0.083/s`."
                      + " Units are `s`, `sec`, `second`, `m`, `min`, `minute`, `h`, `hour`, `d`"
                      + " and `day`; a number before the unit multiplies it. At most 10^9 per"
                      + " second; stored exactly, or rounded down by less than one part per"
                      + " million.")
              .documentedDefault("required for buckets")
              .shownAs("limits")
              .readsJointly(),
          RuleField.of("burst", joint("amount", "7"))
              .in(RuleField.ReferenceTable.LIMIT)
              .description(
                  "The capacity of the bucket in tokens, which is also the max burst: up to 10^9,"
                      + " with up to three decimal places. The default is the tokens of one period"
                      + " of the rate, rounded up to a whole token. The bucket must refill within"
                      + " ten years.")
              .documentedDefault("the tokens of one period")
              .shownAs("limits")
              .readsJointly(),
          RuleField.of("algorithm", choice(Algorithm.CHOICES))
              .in(RuleField.ReferenceTable.LIMIT)
              .description(
                  "The rate limiting algorithm. `sliding_window` is an alias of"
                      + " `sliding_window_counter`, `sliding_log` of `sliding_window_log`.")
              .see("Algorithms")
              .defaultValue(Algorithm.TOKEN_BUCKET)
              .shownAs("limits")
              .readsJointly(),
          RuleField.of("limit", joint("amount", "7"))
              .in(RuleField.ReferenceTable.LIMIT)
              .description(
                  "The limit per window, for window algorithms. For a sliding log it must be a"
                      + " whole number, at most 100000.")
              .documentedDefault("required for windows")
              .shownAs("limits")
              .readsJointly(),
          RuleField.of("window", joint("window", "7s"))
              .in(RuleField.ReferenceTable.LIMIT)
              .description(
                  "The length of a window, for window algorithms: `60s`, `1m`, `1h`, `1d`. At most"
                      + " ten years.")
              .documentedDefault("required for windows")
              .shownAs("limits")
              .readsJointly(),
          RuleField.of("limits", joint("limits", "[{rate: 5/s}]"))
              .in(RuleField.ReferenceTable.LIMIT)
              .description(
                  "Several limits on the same keys, 1 to 10, each with the fields of the short"
                      + " form; a request passes only if all of them allow it.")
              .documentedDefault("none")
              .shows(
                  "limits",
                  ordered(
                      "type", "array", "items", Map.of("$ref", "#/components/schemas/RuleLimit")),
                  Rule::limits)
              .readsJointly(),
          RuleField.of("algorithm_config", joint("algorithmConfig", "{rps: 5, burst: 10}"))
              .in(RuleField.ReferenceTable.LIMIT)
              .description(
                  "The limit in the long form: it contains the whole limit, and the rule must not"
                      + " have fields of the short form.")
              .documentedDefault("none")
              .shownAs("limits")
              .readsJointly(),
          RuleField.of("unlimited", FLAG)
              .in(RuleField.ReferenceTable.LIMIT)
              .description(
                  "Allows every request that the rule applies to; later tiers of its group don't"
                      + " apply to these requests.")
              .defaultValue(false)
              .shownAs("limits")
              .readsJointly(),
          RuleField.of("cost_source", jointText("costSource", "w"))
              .in(RuleField.ReferenceTable.COST)
              .description(
                  "The source of a request's cost: `fixed`, `header:<name>`, `query:<name>`, or the"
                      + " bare name of an attribute that the caller supplies.")
              .defaultValue("fixed")
              .showsNullable(rule -> rule.cost().source())
              .readsJointly(),
          RuleField.of("fixed_cost", joint("cost", "2"))
              .in(RuleField.ReferenceTable.COST)
              .description(
                  "The cost of every request when there is no `cost_source`. Rounded up to a"
                      + " thousandth.")
              .defaultValue(1)
              .shows(
                  "cost",
                  ordered("type", "number", "description", "The fixed or default cost."),
                  rule -> tokens(rule.cost().fallbackThousandths()))
              .readsJointly(),
          RuleField.of("default_cost", joint("cost", "2"))
              .in(RuleField.ReferenceTable.COST)
              .description(
                  "The cost of a request whose `cost_source` is missing or not a plain decimal"
                      + " number.")
              .defaultValue(1)
              .shownAs("cost")
              .readsJointly(),
          RuleField.of("min_cost", joint("cost", "0.5"))
              .in(RuleField.ReferenceTable.COST)
              .description(
                  "The minimum cost of a request with a `cost_source`. The default is 1, or"
                      + " `default_cost` if that is less. Must be at most `default_cost`.")
              .documentedDefault("1, or `default_cost` if that is less")
              .shows(
                  "min_cost",
                  Map.of("type", "number"),
                  rule -> tokens(rule.cost().minimumThousandths()))
              .readsJointly(),
          RuleField.of("on_limit", choice(ON_LIMIT))
              .needsLimit()
              .needsTokenBucket("delay", "delay needs token buckets; a window can only reject")
              .description(
                  "How to handle a request over the limit: `reject` denies it, `delay` holds it"
                      + " back until enough tokens are available. A `leaky_bucket` always delays.")
              .see("Rejecting or delaying requests")
              .defaultValue(OnLimit.REJECT)
              .shownAs("max_delay_ms")
              .readsJointly(),
          RuleField.of("max_delay_ms", whole(1, MAX_DELAY_MILLIS))
              .needsLimit()
              .description(
                  "The max delay of a request in milliseconds, 1 to 600000; a request that would"
                      + " have to wait longer is denied immediately. Requires `on_limit: delay`.")
              .defaultValue(DEFAULT_DELAY_MILLIS)
              .shows(
                  "max_delay_ms",
                  ordered(
                      "type", "integer", "description", "0 if requests over the limit are denied."),
                  Rule::maxDelay)
              .readsJointly(),
          RuleField.of("on_store_failure", choice(STORE_FAILURE))
              .needsLimit()
              .description(
                  "How requests are decided while the store is unavailable: `local` decides them on"
                      + " this node alone, `open` allows them, `closed` denies them.")
              .see("Store failures and consistency")
              .shows(RuleFields::onStoreFailure)
              .reads(Rule.Builder::onStoreFailure),
          RuleField.of("share", FLAG)
              .needsLimit()
              .description(
                  "Whether `on_store_failure: local` uses this node's share of the limit, the limit"
                      + " divided by the number of nodes, instead of the full limit.")
              .see("Store failures and consistency")
              .shows(rule -> rule.storeOptions().onFailure() == FailurePolicy.LOCAL_SHARE)
              .reads(Rule.Builder::share),
          RuleField.of("consistency", choice(EnumFields.of(Consistency.values())))
              .needsLimit()
              .needsTokenBucket("leased", "leased needs token buckets; a window can't be leased")
              .description(
                  "How a shared store is used: `exact` calls it for every request, except while a"
                      + " denial is cached; `leased` leases tokens in advance; `auto` leases tokens"
                      + " only for hot keys.")
              .see("Store failures and consistency")
              .shows(rule -> rule.storeOptions().consistency())
              .reads(Rule.Builder::consistency),
          RuleField.of("refund_on_upstream_error", FLAG)
              .needsLimit()
              .needsTokenBucket("true", "needs token buckets; windows don't support refunds")
              .description(
                  "Whether the proxy refunds the tokens of a request if it could not reach the"
                      + " origin. Requires token buckets.")
              .see("Refunds on upstream errors")
              .shows(Rule::refundOnUpstreamError)
              .reads(Rule.Builder::refundOnUpstreamError),
          RuleField.of("mode", choice(MODES))
              .description(
                  "Whether the rule is enforced (`enforce`), only evaluated and counted"
                      + " (`shadow`), or disabled (`off`).")
              .see("Modes")
              .shows(rule -> rule.rollout().mode())
              .reads(Rule.Builder::mode),
          RuleField.of("enforce_percent", whole(0, 100))
              .description(
                  "The percentage of keys for which the rule is enforced; for the other keys it is"
                      + " a shadow.")
              .see("Modes")
              .shows(rule -> rule.rollout().enforcePercent())
              .reads(Rule.Builder::enforcePercent),
          RuleField.of("manual", FLAG)
              .description(
                  "Applies the rule only when application code asks for it by name, never"
                      + " automatically.")
              .see("Manual rules")
              .shows(Rule::isManual)
              .reads(Rule.Builder::manual));

  /** The names of all fields. */
  static final List<String> NAMES = ALL.stream().map(RuleField::name).toList();

  private RuleFields() {}

  private static BigDecimal tokens(long thousandths) {
    return BigDecimal.valueOf(thousandths, TOKEN_DECIMALS);
  }

  private static FailurePolicy onStoreFailure(Rule rule) {
    FailurePolicy policy = rule.storeOptions().onFailure();
    return policy == FailurePolicy.LOCAL_SHARE ? FailurePolicy.LOCAL : policy;
  }
}
