package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Consistency;
import io.penstock.FailurePolicy;
import io.penstock.policy.load.LoadedPolicy;
import io.penstock.policy.load.PolicyLoader;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sample policy does what its comments say. */
class SamplePolicyTest {
  private final LoadedPolicy loaded = PolicyLoader.parse(SamplePolicy.text(), SamplePolicy.NAME);
  private final Traffic traffic = new Traffic(loaded.policy());

  private static ExplicitRequest.Builder request(String method, String path) {
    return ExplicitRequest.builder().ip("192.0.2.1").method(method).path(path);
  }

  private static ExplicitRequest.Builder user(String id, String plan) {
    ExplicitRequest.Builder request = request("GET", "/").attribute("user_id", id);
    return plan == null ? request : request.attribute("plan", plan);
  }

  private Rule rule(String name) {
    return loaded.policy().rules().stream()
        .filter(rule -> rule.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void parse_sample_hasNoWarnings() {
    assertThat(loaded.warnings()).isEmpty();
  }

  @Test
  void decide_checksOfALoadBalancer_areNeverLimited() {
    assertThat(traffic.rules(request("GET", "/healthz"))).isEmpty();
    assertThat(traffic.rules(request("POST", "/healthz"))).isNotEmpty();
  }

  @Test
  void decide_searches_areAHundredAtOnceAndTenASecond() {
    ExplicitRequest.Builder search = request("GET", "/search");

    assertThat(traffic.passing(150, search)).isEqualTo(100);
    traffic.passSeconds(1);
    assertThat(traffic.passing(150, search)).isEqualTo(10);
    assertThat(traffic.send(search).decisive().orElseThrow().rule().name()).isEqualTo("search");
  }

  @Test
  void decide_searchesOfAFreeUser_reachTheWholeBurst() {
    assertThat(traffic.passing(150, user("1", null).path("/search"))).isEqualTo(100);
  }

  @Test
  void decide_searches_countByUserAndOtherwiseByAddress() {
    traffic.passing(100, request("GET", "/search"));

    assertThat(traffic.passing(1, request("GET", "/search"))).isZero();
    assertThat(traffic.passing(1, user("1", null).path("/search"))).isOne();
    assertThat(traffic.passing(1, request("GET", "/search").ip("192.0.2.2"))).isOne();
  }

  @Test
  void decide_logins_areFiveAtOnceAndOneEveryTwelveSeconds() {
    ExplicitRequest.Builder login = request("POST", "/login");

    assertThat(traffic.passing(20, login)).isEqualTo(5);
    traffic.pass(Duration.ofSeconds(12).minusNanos(1));
    assertThat(traffic.passing(1, login)).isZero();
    traffic.pass(Duration.ofNanos(1));
    assertThat(traffic.passing(20, login)).isOne();
  }

  @Test
  void decide_loginsOfManyUsersFromOneAddress_areOneCaller() {
    int passed = 0;
    for (int i = 0; i < 20; i++) {
      passed += traffic.passing(1, request("POST", "/login").attribute("user_id", "u" + i));
    }
    assertThat(passed).isEqualTo(5);
    assertThat(rule("login").storeOptions().onFailure()).isEqualTo(FailurePolicy.CLOSED);
  }

  @Test
  void decide_payments_areThreeAtOnceAndOneAMinute() {
    ExplicitRequest.Builder payment = user("1", "pro").method("POST").path("/payment");

    assertThat(traffic.passing(20, payment)).isEqualTo(3);
    traffic.passSeconds(59.9);
    assertThat(traffic.passing(20, payment)).isZero();
    traffic.passSeconds(0.1);
    assertThat(traffic.passing(20, payment)).isOne();
  }

  @ParameterizedTest
  @CsvSource({
    "enterprise, enterprise, 2000, 1000",
    "pro, pro, 500, 100",
    "free, , 100, 20",
    "free, gold, 100, 20"
  })
  void decide_userOfAPlan_hasItsLimitAndNoOther(String rule, String plan, int burst, int rate) {
    ExplicitRequest.Builder user = user("1", plan);

    assertThat(traffic.rules(user)).containsExactly(rule, "global");
    assertThat(traffic.passing(3_000, user)).isEqualTo(burst);
    traffic.passSeconds(1);
    assertThat(traffic.passing(3_000, user)).isEqualTo(rate);
  }

  @Test
  void decide_requestsWithoutAUser_countByAddress() {
    ExplicitRequest.Builder anonymous = request("GET", "/");

    assertThat(traffic.rules(anonymous)).containsExactly("address", "global");
    assertThat(traffic.passing(300, anonymous)).isEqualTo(200);
    traffic.passSeconds(1);
    assertThat(traffic.passing(300, anonymous)).isEqualTo(50);
    assertThat(traffic.passing(1, request("GET", "/").ip("192.0.2.2"))).isOne();
  }

  @Test
  void decide_userWhoChangesPlans_keepsWhatWasConsumed() {
    traffic.passing(500, user("1", "pro"));

    assertThat(traffic.passing(1, user("1", null))).isZero();
    assertThat(traffic.passing(3_000, user("1", "enterprise"))).isEqualTo(1_500);
  }

  @Test
  void decide_deniedLogin_takesNothingFromOtherRules() {
    ExplicitRequest.Builder login = request("POST", "/login");
    traffic.passing(20, login);

    assertThat(traffic.left("address", login)).isEqualTo(195);
    assertThat(traffic.left("global", login)).isEqualTo(99_995);
  }

  @Test
  void decide_allTogether_areAHundredThousandAtOnce() {
    ExplicitRequest.Builder last = user("last", "enterprise");
    for (int i = 0; i < 50; i++) {
      assertThat(traffic.passing(2_000, user("u" + i, "enterprise"))).isEqualTo(2_000);
    }

    assertThat(traffic.send(last).decisive().orElseThrow().rule().name()).isEqualTo("global");
    assertThat(traffic.passing(1, last)).isZero();
    traffic.pass(Duration.ofNanos(20_000));
    assertThat(traffic.passing(2, last)).isOne();
    assertThat(rule("global").storeOptions().consistency()).isEqualTo(Consistency.LEASED);
  }
}
