package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Reason;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.http.Gate;
import io.penstock.policy.http.GateObserver;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.http.VerdictResponses;
import io.penstock.policy.metrics.DecisionMeters;
import io.penstock.policy.metrics.RuleCounts;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RuleCallTest {
  private static final long TOKEN = 1_000;

  private final InProcessStore store =
      InProcessStore.builder().clock(new ManualClock()).maxKeys(100).build();
  private final DecisionMeters meters = new DecisionMeters(new SimpleMeterRegistry());
  private final PolicyEngine engine =
      new PolicyEngine(
          store,
          Policy.of(
              manual("wide", 5, Mode.ENFORCE),
              manual("narrow", 1, Mode.ENFORCE),
              manual("shadow", 1, Mode.SHADOW)),
          meters);
  private final List<String> denials = new ArrayList<>();
  private final Gate gate =
      new Gate(
          engine,
          new VerdictResponses(HeaderFormat.parse("all"), new Jitter(0, 0)),
          new GateObserver() {
            @Override
            public void denied(Request request, Outcome decisive) {
              denials.add(decisive.rule().name() + " " + request.attribute("user"));
            }
          });

  @Test
  void decideAll_severalRules_chargesAllOrNone() {
    List<RuleCall> calls = List.of(call("wide", "a", 1), call("narrow", "a", 1));
    assertThat(engine.decideAll(calls).allowed()).isTrue();
    assertThat(engine.decideAll(calls).allowed()).isFalse();

    assertThat(remaining("wide", "a")).isEqualTo(4);
  }

  @Test
  void decideAll_keysAndCosts_areThoseOfEachCall() {
    Verdict verdict = engine.decideAll(List.of(call("wide", "a", 3), call("wide", "b", 1)));

    assertThat(verdict.outcomes())
        .extracting(Outcome::key, outcome -> outcome.decision().remaining())
        .containsExactly(tuple("user=a", 2.0), tuple("user=b", 4.0));
  }

  @Test
  void decideAll_shadowRules_followWithoutDenying() {
    Verdict verdict = engine.decideAll(List.of(call("shadow", "a", 2), call("wide", "a", 1)));

    assertThat(verdict.allowed()).isTrue();
    assertThat(verdict.outcomes())
        .extracting(Outcome::mode, outcome -> outcome.decision().allowed())
        .containsExactly(tuple(Mode.ENFORCE, true), tuple(Mode.SHADOW, false));
  }

  @Test
  void decideAll_shadowRuleThatDenies_doesNotKeepOthersFromBeingCharged() {
    List<RuleCall> calls =
        List.of(call("shadow", "a", 2), call("shadow", "b", 1), call("wide", "a", 1));
    Verdict verdict = engine.decideAll(calls);

    assertThat(verdict.outcomes())
        .extracting(Outcome::key, outcome -> outcome.decision().allowed())
        .containsExactly(tuple("user=a", true), tuple("user=a", false), tuple("user=b", true));
    assertThat(remaining("wide", "a")).isEqualTo(4);
    assertThat(remaining("shadow", "a")).isEqualTo(1);
    assertThat(remaining("shadow", "b")).isZero();
  }

  @Test
  void decideAll_allAlternativesDeny_chargesNothing() {
    List<RuleCall> calls = List.of(call("wide", "a", 1), alternative("a"), alternative("b"));
    assertThat(engine.decideAll(calls).allowed()).isTrue();
    Verdict denied = engine.decideAll(calls);

    assertThat(denied.allowed()).isFalse();
    assertThat(denied.decisive())
        .hasValueSatisfying(outcome -> assertThat(outcome.rule().name()).isEqualTo("shadow"));
    assertThat(remaining("wide", "a")).isEqualTo(4);
  }

  @Test
  void decideAll_oneAlternativeAllows_chargesIt() {
    assertThat(engine.decideAll(List.of(alternative("a"))).allowed()).isTrue();
    List<RuleCall> calls = List.of(call("wide", "a", 1), alternative("a"), alternative("b"));

    assertThat(engine.decideAll(calls).allowed()).isTrue();
    assertThat(engine.decideAll(calls).allowed()).isFalse();
    assertThat(remaining("wide", "a")).isEqualTo(4);
  }

  @Test
  void decideAll_alternativesInAShadowPolicy_denyNothing() {
    engine.override(Mode.SHADOW);
    List<RuleCall> calls = List.of(call("wide", "a", 1), alternative("a"));

    assertThat(engine.decideAll(calls).allowed()).isTrue();
    assertThat(engine.decideAll(calls).allowed()).isTrue();
    assertThat(remaining("wide", "a")).isEqualTo(3);
  }

  @Test
  void decideAllAsync_storeIsSlowOnceAShadowRuleDenied_answersInTime() {
    DelayedStore slow = new DelayedStore(store);
    try (PolicyEngine waiting = new PolicyEngine(slow, engine.policy())) {
      CompletableFuture<Verdict> verdict =
          waiting
              .decideAllAsync(
                  List.of(call("wide", "a", 1), call("shadow", "a", 2)), Duration.ofMillis(1))
              .toCompletableFuture();
      slow.takeAnswers().forEach(Runnable::run);

      // The second answer of the store is never delivered.
      assertThat(verdict.join().allowed()).isTrue();
      assertThat(remaining("wide", "a")).isEqualTo(4);
    }
  }

  @Test
  void decideAll_unknownRules_areIgnored() {
    Verdict verdict = engine.decideAll(List.of(call("removed", "a", 1)));

    assertThat(verdict.allowed()).isTrue();
    assertThat(verdict.outcomes()).isEmpty();
  }

  @Test
  void decideAllAsync_sameCalls_sameVerdict() {
    List<RuleCall> calls = List.of(call("wide", "a", 1), call("narrow", "a", 2));

    assertThat(
            engine
                .decideAllAsync(calls, Duration.ofSeconds(1))
                .toCompletableFuture()
                .join()
                .decisive())
        .hasValueSatisfying(outcome -> assertThat(outcome.rule().name()).isEqualTo("narrow"));
  }

  @Test
  void gate_denial_isAttributedToTheCallThatDenied() {
    decide(List.of(call("wide", "a", 1), call("narrow", "b", 2)));

    assertThat(denials).containsExactly("narrow b");
  }

  @Test
  void deny_allowedRequest_refundsAndReports() {
    List<RuleCall> calls = List.of(call("wide", "a", 3));
    Verdict verdict = decide(calls);
    gate.deny(calls.get(0).request(), verdict, verdict.outcomes().get(0));

    assertThat(remaining("wide", "a")).isEqualTo(5);
    assertThat(denials).containsExactly("wide a");
  }

  @Test
  void deny_allowedRequest_isCountedAsDenied() {
    List<RuleCall> calls = List.of(call("wide", "a", 1), call("narrow", "a", 1));
    Verdict verdict = decide(calls);
    gate.deny(calls.get(0).request(), verdict, denial(verdict.outcomes().get(0)));

    assertThat(counts("wide")).isEqualTo(new RuleCounts("wide", 0, 1, 0, 0));
    assertThat(counts("narrow")).isEqualTo(new RuleCounts("narrow", 1, 0, 0, 0));
  }

  @Test
  void deny_outcomeInShadowMode_isCountedAsDenied() {
    List<RuleCall> calls = List.of(call("shadow", "a", 2));
    Verdict verdict = decide(calls);
    assertThat(verdict.allowed()).isTrue();
    gate.deny(calls.get(0).request(), verdict, denial(verdict.outcomes().get(0)));

    assertThat(counts("shadow")).isEqualTo(new RuleCounts("shadow", 0, 1, 0, 0));
  }

  private static Outcome denial(Outcome outcome) {
    Decision decision =
        Decision.deny(
            outcome.rule().name(), outcome.decision().limit(), Reason.TOKEN_BUCKET_EXCEEDED);
    return new Outcome(
        outcome.rule(), Mode.ENFORCE, outcome.key(), outcome.costThousandths(), decision);
  }

  private RuleCounts counts(String rule) {
    List<RuleCounts> all = new ArrayList<>();
    meters.forEachRule(all::add);
    return all.stream().filter(counts -> counts.rule().equals(rule)).findAny().orElseThrow();
  }

  @Test
  void charge_moreThanAvailable_leavesADebt() {
    RuleBuckets buckets = buckets("wide", "a");
    var unused = buckets.charge(8 * TOKEN);

    assertThat(remaining("wide", "a")).isZero();
    unused = buckets.grant(3 * TOKEN);
    assertThat(remaining("wide", "a")).isZero();
    unused = buckets.grant(TOKEN);
    assertThat(remaining("wide", "a")).isEqualTo(1);
  }

  private Verdict decide(List<RuleCall> calls) {
    List<Verdict> received = new ArrayList<>();
    gate.decide(
        calls,
        Duration.ofSeconds(1),
        () -> Runnable::run,
        new Gate.VerdictHandler() {
          @Override
          public void decided(Verdict verdict) {
            received.add(verdict);
          }

          @Override
          public void undecided() {
            throw new AssertionError("undecided");
          }
        });
    return received.get(0);
  }

  private double remaining(String rule, String user) {
    return buckets(rule, user).peek().toCompletableFuture().join().get(0).remaining();
  }

  private RuleBuckets buckets(String rule, String user) {
    Optional<RuleBuckets> buckets = engine.buckets(rule, call(rule, user, 0).request());
    return buckets.orElseThrow();
  }

  private static RuleCall alternative(String user) {
    RuleCall call = call("shadow", user, 1);
    return new RuleCall(call.rule(), call.request(), true);
  }

  private static RuleCall call(String rule, String user, int cost) {
    return new RuleCall(
        rule,
        ExplicitRequest.builder().attribute("user", user).costThousandths(cost * TOKEN).build());
  }

  private static Rule manual(String name, int perHour, Mode mode) {
    return Rule.builder(name)
        .limitKeys(List.of(KeyPart.parse("user")))
        .limits(List.of(Limit.perHour(perHour)))
        .mode(mode)
        .manual(true)
        .build();
  }
}
