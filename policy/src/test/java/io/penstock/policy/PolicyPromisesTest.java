package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The guarantees about limits hold for policies: denials are free, and reloads forgive nothing. */
class PolicyPromisesTest {
  private static final String[] KEYS = {"user_id", "tenant", "ip:address"};

  private static ExplicitRequest.Builder request(Random random) {
    return ExplicitRequest.builder()
        .ip("192.0.2." + random.nextInt(2))
        .path(random.nextBoolean() ? "/a" : "/b")
        .attribute("user_id", "u" + random.nextInt(2))
        .attribute("tenant", "t" + random.nextInt(2))
        .costThousandths(1_000L * random.nextInt(4));
  }

  /** Independent rules: keyed or shared, for all paths or for one. */
  private static List<Rule> rules(Random random) {
    List<Rule> rules = new ArrayList<>();
    for (String key : KEYS) {
      for (String path : new String[] {"*", "/a"}) {
        if (random.nextBoolean()) {
          rules.add(rule(key + path, random).by(key).where("path", path).build());
        }
      }
    }
    rules.add(rule("global", random).build());
    return rules;
  }

  private static Rules rule(String name, Random random) {
    Limit bucket = Limit.perSecond(1 + random.nextInt(9)).burst(1 + random.nextInt(9));
    Limit window = Limit.fixedWindow(1 + random.nextInt(9), Duration.ofSeconds(1));
    return Rules.rule(name)
        .limits(random.nextBoolean() ? new Limit[] {bucket, window} : new Limit[] {bucket});
  }

  private static List<Double> levels(Traffic traffic, ExplicitRequest request) {
    return traffic.engine().explain(request).toCompletableFuture().join().findings().stream()
        .filter(finding -> finding.charge() != null && finding.charge().before() != null)
        .flatMap(finding -> finding.charge().before().results().stream())
        .map(Decision::remaining)
        .toList();
  }

  @Property(tries = 100)
  void decide_deniedByAnyRule_takesNothingFromOthers(@ForAll long seed) {
    Random random = new Random(seed);
    Traffic traffic = new Traffic(Policy.of(rules(random).toArray(Rule[]::new)));
    for (int i = 0; i < 50; i++) {
      ExplicitRequest request = request(random).build();
      List<Double> before = levels(traffic, request);
      Verdict verdict = traffic.engine().decide(request);
      if (!verdict.allowed() || request.costThousandths() == 0) {
        assertThat(levels(traffic, request)).as("%s", verdict).isEqualTo(before);
      }
      traffic.pass(Duration.ofMillis(random.nextInt(300)));
    }
  }

  @Property(tries = 100)
  void replace_rulesRenamedReorderedAndAdded_forgivesNothing(@ForAll long seed) {
    Random random = new Random(seed);
    List<Rule> rules = rules(random);
    Traffic kept = new Traffic(Policy.of(rules.toArray(Rule[]::new)));
    Traffic reloaded = new Traffic(Policy.of(rules.toArray(Rule[]::new)));
    for (int i = 0; i < 50; i++) {
      ExplicitRequest request = request(random).build();
      assertThat(reloaded.engine().decide(request).allowed())
          .isEqualTo(kept.engine().decide(request).allowed());
      Duration pause = Duration.ofMillis(random.nextInt(300));
      kept.pass(pause);
      reloaded.pass(pause);
      reloaded.engine().replace(Policy.of(changed(rules, random).toArray(Rule[]::new)));
    }
  }

  /** The same limits in another order and under other names, and a tier that matches no request. */
  private static List<Rule> changed(List<Rule> rules, Random random) {
    List<Rule> changed = new ArrayList<>();
    for (Rule rule : rules) {
      changed.add(rule.toBuilder().name(rule.name() + random.nextInt()).build());
    }
    Collections.shuffle(changed, random);
    changed.add(0, Rules.rule("nobody").where("plan", "none").build());
    return changed;
  }

  @Example
  void replace_largerAndSmallerLimits_keepWhatWasConsumed() {
    ExplicitRequest.Builder request = ExplicitRequest.builder();
    Traffic traffic = new Traffic(Policy.of(limited(Limit.perHour(1).burst(10))));

    assertThat(traffic.passing(8, request)).isEqualTo(8);
    traffic.engine().replace(Policy.of(limited(Limit.perHour(1).burst(20))));
    assertThat(traffic.left("r", request)).isEqualTo(12);
    traffic.engine().replace(Policy.of(limited(Limit.perHour(1).burst(5))));
    assertThat(traffic.passing(1, request.costThousandths(1_000))).isZero();
    traffic.engine().replace(Policy.of(limited(Limit.perHour(1).burst(10))));
    assertThat(traffic.left("r", request)).isEqualTo(5);
  }

  private static Rule limited(Limit limit) {
    return Rules.rule("r").limits(limit).build();
  }

  @Example
  void decide_costAboveTheBurstOfOneRule_isNeverAndFree() {
    Traffic traffic =
        new Traffic(
            Policy.of(
                Rules.rule("large").by("user_id").limits(Limit.perSecond(1).burst(100)).build(),
                Rules.rule("small").limits(Limit.perSecond(1).burst(5)).build()));
    ExplicitRequest.Builder request = ExplicitRequest.builder().attribute("user_id", "u");

    Outcome decisive = traffic.send(request.costThousandths(6_000)).decisive().orElseThrow();

    assertThat(decisive.rule().name()).isEqualTo("small");
    assertThat(decisive.decision().neverAllowed()).isTrue();
    assertThat(decisive.decision().reason()).contains(Reason.COST_ABOVE_BURST);
    assertThat(traffic.left("large", request)).isEqualTo(100);
    assertThat(traffic.left("small", request)).isEqualTo(5);
  }

  @Example
  void decide_refusedForAMissingKey_takesNothingFromAnyRule() {
    Traffic traffic =
        new Traffic(
            Policy.of(
                Rules.rule("all").limits(Limit.perSecond(1).burst(5)).build(),
                Rules.rule("shadow").where("path", "*").mode(Mode.SHADOW, 100).build(),
                Rules.rule("strict").by("header:k").missing(MissingKey.DENY).build()));
    ExplicitRequest.Builder without = ExplicitRequest.builder().path("/");

    assertThat(traffic.passing(3, without)).isZero();

    ExplicitRequest.Builder with = ExplicitRequest.builder().path("/").header("k", "v");
    assertThat(traffic.left("all", with)).isEqualTo(5);
    assertThat(traffic.left("shadow", with)).isEqualTo(1_000_000);
  }
}
