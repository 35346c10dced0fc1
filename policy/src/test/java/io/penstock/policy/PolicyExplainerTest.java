package io.penstock.policy;

import static io.penstock.policy.Rules.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.address.Cidr;
import io.penstock.policy.address.ClientAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.testing.ManualClock;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The explanation of each rule, and that it is true. */
class PolicyExplainerTest {
  private static final String MATCHES = "applies: matches";

  private @Nullable Mode override;

  private static Policy policy(Mode mode, List<Match> exempt, Rules... rules) {
    return new Policy(
        List.of(rules).stream().map(Rules::build).toList(),
        exempt,
        mode,
        ClientAddress.PEER,
        JwtSettings.NONE,
        null);
  }

  private static Policy policy(Rules... rules) {
    return policy(Mode.ENFORCE, List.of(), rules);
  }

  private List<String> explain(Policy policy, ExplicitRequest request) {
    InProcessStore store = InProcessStore.builder().clock(new ManualClock()).build();
    try (PolicyEngine engine = new PolicyEngine(store, policy)) {
      engine.override(override);
      return engine.explain(request).toCompletableFuture().join().findings().stream()
          .map(finding -> (finding.applies() ? "applies: " : "not: ") + finding.why())
          .toList();
    }
  }

  private static ExplicitRequest request() {
    return ExplicitRequest.builder().build();
  }

  private static ExplicitRequest with(String attribute, String value) {
    return ExplicitRequest.builder().attribute(attribute, value).build();
  }

  private static String earlier(String rule) {
    return "not: an earlier rule of its group applies: " + rule;
  }

  @Test
  void explain_conditions_reportsTheUnmetOne() {
    Policy policy =
        policy(
            rule("any"),
            rule("acme").where("tenant", "acme"),
            rule("other").where("tenant", "b", "a"),
            rule("search").where("path", "/search*"),
            rule("pro").where("plan|jwt:plan", "pro"));

    assertThat(explain(policy, with("tenant", "acme")))
        .containsExactly(
            MATCHES,
            earlier("any"),
            "not: tenant is acme, not a or b",
            "not: path is missing, not /search*",
            "not: plan|jwt:plan is missing, not pro");
  }

  @Test
  void explain_privateValue_isNotQuoted() {
    Policy policy = policy(rule("r").where("header:x-plan", "pro"));
    ExplicitRequest request = ExplicitRequest.builder().header("x-plan", "s3cr3t").build();

    assertThat(explain(policy, request))
        .containsExactly("not: header:x-plan is something else, not pro");
  }

  /** Buckets are keyed by /64, but conditions test the full address. */
  @Test
  void explain_addressOutsideANetwork_isReportedInFull() {
    KeyPart address = KeyPart.parse("ip:address");
    Condition within = new Condition.Within(address, List.of(Cidr.parse("2001:db8::/112")));
    Policy policy = policy(rule("r").where(within));
    ExplicitRequest request = ExplicitRequest.builder().ip("2001:db8::1:1").build();

    assertThat(explain(policy, request))
        .containsExactly("not: ip:address is 2001:db8::1:1, not 2001:db8::/112");
  }

  @Test
  void explain_valueOfSeveralLines_staysInOne() {
    Policy policy = policy(rule("r").where("plan", "/a"));
    ExplicitRequest request =
        ExplicitRequest.builder().attribute("plan", "/b\nforged: line" + "x".repeat(1_000)).build();

    assertThat(explain(policy, request).get(0))
        .startsWith("not: plan is /b forged: linexx")
        .endsWith("x…, not /a")
        .hasSizeLessThan(200)
        .doesNotContain("\n");
  }

  @Test
  void explain_tiers_namesTheOneThatCounts() {
    Policy policy =
        policy(
            rule("pro").by("user_id").where("plan", "pro"),
            rule("free").by("user_id"),
            rule("rest").by("user_id"));
    ExplicitRequest free = with("user_id", "u");
    ExplicitRequest pro =
        ExplicitRequest.builder().attribute("user_id", "u").attribute("plan", "pro").build();

    assertThat(explain(policy, pro)).containsExactly(MATCHES, earlier("pro"), earlier("pro"));
    assertThat(explain(policy, free))
        .containsExactly("not: plan is missing, not pro", MATCHES, earlier("free"));
  }

  @Test
  void explain_tierBehindAShadow_namesTheShadowOnlyToShadows() {
    Policy policy =
        policy(
            rule("bound"),
            rule("tried").mode(Mode.SHADOW, 100),
            rule("tried-too").mode(Mode.SHADOW, 100),
            rule("bound-too"));

    assertThat(explain(policy, request()))
        .containsExactly(MATCHES, MATCHES + ", in shadow mode", earlier("tried"), earlier("bound"));
  }

  @Test
  void explain_tierBehindAnUnlimitedOne_namesIt() {
    Policy policy =
        policy(
            rule("vip").where("plan", "vip").unlimited(), rule("free"), rule("rest").unlimited());

    assertThat(explain(policy, with("plan", "vip")))
        .containsExactly(MATCHES + ", and is unlimited", earlier("vip"), earlier("vip"));
    assertThat(explain(policy, request()))
        .containsExactly("not: plan is missing, not vip", MATCHES, earlier("free"));
  }

  @Test
  void explain_unlimitedBehindAShadow_applies() {
    Policy policy = policy(rule("tried").mode(Mode.SHADOW, 100), rule("vip").unlimited());

    assertThat(explain(policy, request()))
        .containsExactly(MATCHES + ", in shadow mode", MATCHES + ", and is unlimited");
  }

  @Test
  void explain_unlimitedShadow_hidesOnlyShadows() {
    Policy policy =
        policy(
            rule("tried").unlimited().mode(Mode.SHADOW, 100),
            rule("bound"),
            rule("bound-too"),
            rule("tried-too").mode(Mode.SHADOW, 100));

    assertThat(explain(policy, request()))
        .containsExactly(
            MATCHES + ", and is unlimited, in shadow mode",
            MATCHES,
            earlier("bound"),
            earlier("tried"));
  }

  @Test
  void explain_enforcePercent_reportsForWhichKeysItIsEnforced() {
    Policy policy =
        policy(rule("half").by("user_id").mode(Mode.ENFORCE, 50), rule("all").by("user_id"));
    boolean bound = false;
    boolean shadowed = false;
    for (int i = 0; i < 64; i++) {
      List<String> explanation = explain(policy, with("user_id", "u" + i));
      if (explanation.get(0).equals(MATCHES)) {
        bound = true;
        assertThat(explanation).containsExactly(MATCHES, earlier("half"));
      } else {
        shadowed = true;
        assertThat(explanation)
            .containsExactly(
                MATCHES + ", in shadow mode: the key is not among the 50 % enforced", MATCHES);
      }
    }
    assertThat(bound && shadowed).isTrue();
  }

  @Test
  void explain_namedGroup_namesTheTierWithOtherKeys() {
    Policy policy =
        policy(
            rule("user").by("user_id").group("g"),
            rule("address").by("ip:address").group("g").where("path", "/a"),
            rule("all").group("g"));
    ExplicitRequest known = ExplicitRequest.builder().attribute("user_id", "u").path("/b").build();

    assertThat(explain(policy, known))
        .containsExactly(MATCHES, "not: path is /b, not /a", earlier("user"));
    assertThat(explain(policy, ExplicitRequest.builder().path("/a").build()))
        .containsExactly(
            "not: user_id is missing, so the rule is skipped",
            "not: ip:address is missing, so the rule is skipped",
            MATCHES);
  }

  @ParameterizedTest
  @CsvSource({
    "SHARE, 'applies: matches, and shares a bucket with all requests that lack user_id'",
    "SKIP, 'not: user_id is missing, so the rule is skipped'",
    "DENY, 'applies: matches, and denies because user_id is missing'",
  })
  void explain_missingKey_reportsHowItIsHandled(MissingKey onMissingKey, String explanation) {
    Policy policy = policy(rule("r").by("tenant", "user_id").missing(onMissingKey));

    assertThat(explain(policy, with("tenant", "t"))).containsExactly(explanation);
  }

  @Test
  void explain_missingKeyOfAShadow_deniesInShadow() {
    Policy policy = policy(rule("r").by("user_id").missing(MissingKey.DENY).mode(Mode.SHADOW, 100));

    assertThat(explain(policy, request()))
        .containsExactly("applies: matches, in shadow mode, and denies because user_id is missing");
  }

  @Test
  void explain_exempt_appliesToNoRule() {
    Match health = new Match(List.of(new Condition.OneOf(KeyPart.parse("host"), Set.of("h"))));
    Match partner = new Match(List.of(new Condition.OneOf(KeyPart.parse("tenant"), Set.of("p"))));
    Policy policy =
        policy(
            Mode.ENFORCE,
            List.of(health, partner),
            rule("r"),
            rule("vip").unlimited(),
            rule("off").mode(Mode.OFF, 100));

    assertThat(explain(policy, with("tenant", "p")))
        .containsExactly(
            "not: the request is exempt by exempt[1]: tenant is p",
            "not: the request is exempt by exempt[1]: tenant is p",
            "not: is off");
  }

  @Test
  void explain_offRule_isNotATier() {
    Policy policy = policy(rule("off").mode(Mode.OFF, 100), rule("r"));

    assertThat(explain(policy, request())).containsExactly("not: is off", MATCHES);
  }

  @Test
  void explain_policyInShadow_isReported() {
    Policy policy =
        policy(Mode.SHADOW, List.of(), rule("a").by("user_id"), rule("b").mode(Mode.SHADOW, 100));

    assertThat(explain(policy, with("user_id", "u")))
        .containsExactly(
            MATCHES + ", in shadow mode with the whole policy", MATCHES + ", in shadow mode");
  }

  @Test
  void explain_policyOff_isReported() {
    Policy policy = policy(Mode.OFF, List.of(), rule("a"), rule("vip").unlimited());

    assertThat(explain(policy, request()))
        .containsExactly("not: the whole policy is off", "not: the whole policy is off");
  }

  @Test
  void explain_overrideOff_isReported() {
    override = Mode.OFF;
    Policy policy = policy(rule("a"), rule("b").where("tenant", "t"), rule("vip").unlimited());

    assertThat(explain(policy, request()))
        .containsOnly("not: all rules are off by override")
        .hasSize(3);
  }

  @Test
  void explain_overrideShadow_isReported() {
    override = Mode.SHADOW;
    Policy policy = policy(rule("a"), rule("b").mode(Mode.SHADOW, 100), rule("c"));

    assertThat(explain(policy, request()))
        .containsExactly(
            MATCHES + ", in shadow mode by override", MATCHES + ", in shadow mode", earlier("a"));
  }

  @Test
  void explain_overrideEnforce_bindsWhatIsInShadowOrOff() {
    override = Mode.ENFORCE;
    Policy policy =
        policy(
            Mode.OFF,
            List.of(),
            rule("a"),
            rule("b").mode(Mode.SHADOW, 100),
            rule("c").where("tenant", "t"),
            rule("d").mode(Mode.ENFORCE, 0));

    assertThat(explain(policy, request()))
        .containsExactly(
            MATCHES,
            MATCHES + ", and is enforced by override",
            "not: tenant is missing, not t",
            earlier("b"));
  }
}
