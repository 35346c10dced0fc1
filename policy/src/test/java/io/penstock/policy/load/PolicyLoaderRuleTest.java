package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.Limit;
import io.penstock.Rate;
import io.penstock.TokenBucket;
import io.penstock.policy.Attribute;
import io.penstock.policy.Condition;
import io.penstock.policy.Cost;
import io.penstock.policy.KeyPart;
import io.penstock.policy.MissingKey;
import io.penstock.policy.Mode;
import io.penstock.policy.Pattern;
import io.penstock.policy.Rule;
import io.penstock.policy.address.Cidr;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyLoaderRuleTest {
  @ParameterizedTest
  @CsvSource({
    "10/s,10,1,10",
    "10/sec,10,1,10",
    "10/second,10,1,10",
    "5/m,5,60,5",
    "5/min,5,60,5",
    "5/minute,5,60,5",
    "5/h,5,3600,5",
    "5/hour,5,3600,5",
    "5/d,5,86400,5",
    "5/day,5,86400,5",
    "5/10s,5,10,5",
    "5 / 10 min,5,600,5",
    "0.083/s,0.083,1,1",
    "2.5/s,2.5,1,3",
    "1000000000/s,1000000000,1,1000000000"
  })
  void parse_rate_isExactWithBurstOfAPeriod(String text, String tokens, int seconds, long burst) {
    Rate rate = Rate.of(new BigDecimal(tokens), Duration.ofSeconds(seconds));

    assertThat(Loading.plain("rate: " + text).limits())
        .containsExactly(new TokenBucket(rate, burst * 1000));
  }

  @ParameterizedTest
  @CsvSource({"60s,60", "1m,60", "1h,3600", "1d,86400", "2 min,120"})
  void parse_window_isALengthOfTime(String text, int seconds) {
    assertThat(Loading.plain("algorithm: fixed_window, limit: 7, window: " + text).limits())
        .containsExactly(Limit.fixedWindow(7, Duration.ofSeconds(seconds)));
  }

  @Test
  void parse_aliasesOfWindows_areTheirKinds() {
    Duration second = Duration.ofSeconds(1);

    assertThat(Loading.plain("algorithm: sliding_window, limit: 7, window: 1s").limits())
        .containsExactly(Limit.slidingWindow(7, second))
        .isEqualTo(
            Loading.plain("algorithm: sliding_window_counter, limit: 7, window: 1s").limits());
    assertThat(Loading.plain("algorithm: sliding_log, limit: 7, window: 1s").limits())
        .containsExactly(Limit.slidingLog(7, second))
        .isEqualTo(Loading.plain("algorithm: sliding_window_log, limit: 7, window: 1s").limits());
  }

  @Test
  void parse_limits_areAllOnTheSameKeys() {
    Rule rule =
        Loading.plain(
            "limits: [{rate: 10/s, burst: 20}, {rate: 1000/h},"
                + " {algorithm: fixed_window, limit: 5000, window: 1d}], fixed_cost: 2");

    assertThat(rule.limits())
        .containsExactly(
            Limit.perSecond(10).burst(20),
            Limit.perHour(1000),
            Limit.fixedWindow(5000, Duration.ofDays(1)));
    assertThat(rule.cost()).isEqualTo(Cost.fixed(2000));
  }

  @Test
  void parse_leakyBucket_isABucketOfOneThatDelays() {
    Rule rule = Loading.plain("algorithm: leaky_bucket, rate: 5/s");

    assertThat(rule.limits()).containsExactly(Limit.perSecond(5).burst(1));
    assertThat(rule.maxDelay()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void parse_leakyBucketOfCostlyRequests_holdsOneOfThem() {
    Rule rule =
        Loading.plain(
            "algorithm: leaky_bucket, rate: 5/s, fixed_cost: 2.5, on_limit: delay,"
                + " max_delay_ms: 50");

    assertThat(rule.limits()).containsExactly(Limit.perSecond(5).burst(2.5));
    assertThat(rule.maxDelay()).isEqualTo(Duration.ofMillis(50));
  }

  @Test
  void parse_leakyBucketInLongForm_needsNoBurst() {
    assertThat(Loading.plain("algorithm: leaky_bucket, algorithm_config: {rps: 5}").limits())
        .containsExactly(Limit.perSecond(5).burst(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "fixed_cost: 0.0001; ; 1; 1",
        "fixed_cost: 1.0001; ; 1001; 1001",
        "cost_source: fixed; ; 1000; 1000",
        "cost_source: weight; weight; 1000; 1000",
        "cost_source: 'query:W'; query:W; 1000; 1000",
        "cost_source: weight, default_cost: 5; weight; 5000; 1000",
        "cost_source: weight, default_cost: 0.5; weight; 500; 500",
        "cost_source: weight, default_cost: 5, min_cost: 2; weight; 5000; 2000"
      })
  void parse_cost_isInThousandths(String fields, String source, long fallback, long least) {
    Attribute attribute = source == null ? null : Attribute.parse(source);

    assertThat(Loading.plain("rate: 10/s, " + fields).cost())
        .isEqualTo(new Cost(attribute, fallback, least));
  }

  @Test
  void parse_everythingElse_isAsWritten() {
    Rule rule =
        Loading.rule(
            "name: all of it, description: for people, limit_keys: ['header:A', 'query:b|user'],"
                + " group: g, on_missing_key: deny, rate: 5/s, on_limit: delay,"
                + " on_store_failure: local, consistency: auto, enforce_percent: 25,"
                + " refund_on_upstream_error: true");

    assertThat(rule.name()).isEqualTo("all of it");
    assertThat(rule.description()).isEqualTo("for people");
    assertThat(rule.limitKeys())
        .containsExactly(KeyPart.parse("header:a"), KeyPart.parse("query:b|user"));
    assertThat(rule.group()).isEqualTo("g");
    assertThat(rule.onMissingKey()).isEqualTo(MissingKey.DENY);
    assertThat(rule.maxDelay()).isEqualTo(Duration.ofSeconds(1));
    assertThat(rule.storeOptions().onFailure()).isEqualTo(FailurePolicy.LOCAL);
    assertThat(rule.storeOptions().consistency()).isEqualTo(Consistency.AUTO);
    assertThat(rule.rollout()).isEqualTo(new Rule.Rollout(Mode.ENFORCE, 25));
    assertThat(rule.refundOnUpstreamError()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"enforce", "shadow", "off"})
  void parse_mode_isTheMode(String mode) {
    assertThat(Loading.plain("rate: 5/s, mode: " + mode).rollout().mode().code()).isEqualTo(mode);
  }

  @Test
  void parse_unlimited_hasNoLimits() {
    assertThat(Loading.plain("unlimited: true").isUnlimited()).isTrue();
    assertThat(Loading.plain("unlimited: false, rate: 1/s").isUnlimited()).isFalse();
  }

  @Test
  void parse_match_takesEachAttributeInItsWay() {
    Rule rule =
        Loading.plain(
            "rate: 5/s, match: {path: [/a/*, '*.png'], host: '*.Example.COM', method: [get, Post],"
                + " 'ip:address': [10.0.0.0/8, '2001:db8::/32'], 'header:X-Plan': Pro,"
                + " 'plan|jwt:plan': [a, 7, true]}");

    assertThat(rule.match().conditions())
        .containsExactly(
            new Condition.Like(
                KeyPart.parse("path"), List.of(new Pattern("/a/*"), new Pattern("*.png"))),
            new Condition.Like(KeyPart.parse("host"), List.of(new Pattern("*.example.com"))),
            new Condition.OneOf(KeyPart.parse("method"), Set.of("GET", "POST")),
            new Condition.Within(
                KeyPart.parse("ip:address"),
                List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("2001:db8::/32"))),
            new Condition.OneOf(KeyPart.parse("header:x-plan"), Set.of("Pro")),
            new Condition.OneOf(KeyPart.parse("plan|jwt:plan"), Set.of("a", "7", "true")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "rate: 5/s, burst: 4; burst: is less than the tokens of one second, so bursts are cut: 4.0",
        "rate: 1/h, burst: 25; burst: the burst takes more than a day to refill: PT25H",
        "rate: 5/s, fixed_cost: 6; burst: is less than the cost of a request, so none can pass: 5.0",
        "rate: 5/s, match: {'query:plan': pro*}; match.query:plan: * is compared literally, it is not a wildcard: pro*"
      })
  void parse_doubtfulRule_isWarnedOf(String fields, String warning) {
    assertThat(Loading.plainWarnings(fields)).containsExactly(warning);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit_keys: ['header:x-api-key'], on_missing_key: share",
        "limit_keys: ['cookie:a', 'query:b'], on_missing_key: deny",
        "limit_keys: ['header:x-api-key|ip:address']"
      })
  void parse_keysThatClientsInvent_areWarnedOf(String keys) {
    assertThat(Loading.warnings("{name: r, rate: 5/s, " + keys + "}"))
        .singleElement()
        .asString()
        .contains("warning: limit_keys: clients can invent values of these keys");
  }

  @Test
  void parse_keyThatClientsOmitWithSkip_isWarnedOf() {
    assertThat(
            Loading.warnings(
                "{jwt: trusted, rules: [{name: r, rate: 5/s, limit_keys: ['jwt:sub'],"
                    + " on_missing_key: skip}]}"))
        .containsExactly(
            "p.yaml:1:86: warning: rules[0].on_missing_key: clients can bypass this rule by omitting"
                + " jwt:sub");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit_keys: ['header:x', 'ip:address']",
        "limit_keys: ['header:x'], match: {'header:x': [a, b]}",
        "limit_keys: ['jwt:sub'], on_missing_key: share",
        "limit_keys: ['jwt:sub|ip:address'], on_missing_key: skip",
        "limit_keys: [user_id], on_missing_key: skip",
        "limit_keys: []"
      })
  void parse_soundKeys_areNotWarnedOf(String keys) {
    assertThat(
            Loading.warnings(
                "{jwt: trusted, attributes: {user_id: caller}, rules: [{name: r, rate: 5/s, "
                    + keys
                    + "}]}"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "limit_keys: ['jwt:sub']",
        "limit_keys: [user_id]",
        "limit_keys: ['jwt:sub', 'cookie:a|query:b']",
      })
  void parse_keysThatClientsOmit_areWarnedOf(String keys) {
    assertThat(
            Loading.warnings(
                "{jwt: trusted, attributes: {user_id: 'jwt:sub'}, rules: [{name: r, rate: 5/s, "
                    + keys
                    + "}]}"))
        .singleElement()
        .asString()
        .contains("warning: rules[0].limit_keys: all clients without ", " share one bucket")
        .contains("jwt:sub|ip:address?");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "jwt:beta; True; true",
        "jwt:beta; '\"True\"'; True",
        "beta; FALSE; false",
        "beta|jwt:beta; True; true",
        "header:x; True; True",
        "header:x|jwt:beta; True; True",
        "jwt:level; 1; 1",
        "jwt:level; 1.0; 1.0 1",
        "jwt:level; '[1.0, a*, 1e2]'; 1.0 a* 1e2 1 100",
        "jwt:level; '\"1.0\"'; 1.0",
        "jwt:level; 007; 007",
        "jwt:level; +49; +49",
        "jwt:level; 1e900000000; 1e900000000",
        "jwt:level; 1e99999999999; 1e99999999999",
        "level|jwt:level; 1.0; 1.0 1",
        "level; 1.0; 1.0",
        "level; 007; 007",
        "header:x; 1.10; 1.10",
        "query:x; 1e2; 1e2",
        "cookie:x; 1.0; 1.0"
      })
  void parse_matchWithoutQuotes_isComparedInTheFormsOfRequests(
      String subject, String written, String compared) {
    Rule rule = Loading.plain("rate: 1/s, match: {'" + subject + "': " + written + "}");

    assertThat(rule.match().conditions())
        .containsExactly(new Condition.OneOf(KeyPart.parse(subject), Set.of(compared.split(" "))));
  }

  @Test
  void parse_matchOfNothingOrLists_isAnErrorAtItsLocation() {
    assertThat(Loading.plainErrors("rate: 1/s, match: {'jwt:a': [1.0, null], 'jwt:b': [[1]]}"))
        .containsExactly(
            "match.jwt:a[1]: must be a single value, not null",
            "match.jwt:b[0]: must be a single value, not a list");
  }
}
