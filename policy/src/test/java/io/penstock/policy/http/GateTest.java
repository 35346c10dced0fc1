package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.Decision;
import io.penstock.Reason;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Outcome;
import io.penstock.policy.Phase;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Request;
import io.penstock.policy.Verdict;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.testing.ManualClock;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GateTest {
  private static final Request REQUEST = ExplicitRequest.builder().build();

  private final List<String> events = new ArrayList<>();
  private final Gate gate =
      gate(
          """
          rules:
            - {name: early, limit_keys: [], rate: 1/min, burst: 2}
            - {name: late, limit_keys: [user_id], on_missing_key: deny, rate: 1/min, burst: 1}
            - {name: manual, manual: true, limit_keys: [], rate: 1/min, burst: 1}
          """);

  private final Gate.VerdictHandler handler =
      new Gate.VerdictHandler() {
        @Override
        public void decided(Verdict verdict) {
          events.add("handled " + verdict.allowed());
        }

        @Override
        public void undecided() {
          events.add("handler without a verdict");
        }
      };

  private Gate gate(String policy) {
    PolicyEngine engine =
        new PolicyEngine(
            InProcessStore.builder().clock(new ManualClock()).build(),
            PolicyLoader.parse(policy, "policy.yaml").policy());
    GateObserver observer =
        new GateObserver() {
          @Override
          public void decided(Verdict verdict, long nanos) {
            events.add((verdict.allowed() ? "allowed " : "not allowed ") + (nanos >= 0));
          }

          @Override
          public void denied(Request request, Outcome decisive) {
            assertThat(request).isSameAs(REQUEST);
            events.add("denied by " + decisive.rule().name());
          }

          @Override
          public void shadowDenied(Request request, Outcome outcome) {
            assertThat(request).isSameAs(REQUEST);
            events.add("shadow denied by " + outcome.rule().name());
          }

          @Override
          public void undecided(Throwable failure) {
            events.add("undecided: " + failure.getMessage());
          }
        };
    return new Gate(
        engine,
        new VerdictResponses(HeaderFormat.ALL, Jitter.NONE),
        GateObserver.all(List.of(observer, GateObserver.NONE)));
  }

  @Test
  void decide_shadowRules_reportWhatTheyWouldHaveDenied() {
    Gate gate =
        gate(
            """
            rules:
              - {name: today, limit_keys: [], rate: 1/min, burst: 2}
              - {name: next, limit_keys: [], rate: 1/min, burst: 1, mode: shadow}
            """);
    for (int i = 0; i < 3; i++) {
      gate.decide(REQUEST, Phase.WHOLE);
    }
    assertThat(events)
        .containsExactly(
            "allowed true",
            "allowed true",
            "shadow denied by next",
            "not allowed true",
            "denied by today");
  }

  @Test
  void denyDelayed_requestOfTwoLimits_deniesByTheDelayingOneAndRefundsOnce() {
    Gate delaying =
        gate(
            """
            rules:
              - {name: wide, group: wide, limit_keys: [], rate: 1/min, burst: 9}
              - name: slow
                limit_keys: []
                on_limit: delay
                max_delay_ms: 600000
                limits:
                  - {rate: 1/min, burst: 1}
                  - {rate: 1/s, burst: 9}
            """);
    assertThat(delaying.decide(REQUEST, Phase.WHOLE).delay()).isZero();
    events.clear();
    for (int i = 0; i < 3; i++) {
      Verdict delayed = delaying.decide(REQUEST, Phase.WHOLE);
      assertThat(delayed.delay()).hasMinutes(1);

      Verdict denial = delaying.denyDelayed(REQUEST, delayed);

      assertThat(denial.allowed()).isFalse();
      assertThat(denial.delay()).isZero();
      Outcome decisive = denial.decisive().orElseThrow();
      assertThat(decisive.rule().name()).isEqualTo("slow");
      assertThat(decisive.decision().retryAfter()).hasMinutes(1);
      assertThat(denial.reason()).contains(Reason.TOKEN_BUCKET_EXCEEDED);
      assertThat(decisive.decision().results())
          .extracting(Decision::allowed)
          .containsExactly(false, true);
      delaying.refund(denial);
    }
    assertThat(events.subList(0, 2)).containsExactly("allowed true", "denied by slow");
    assertThat(delaying.decide(REQUEST, Phase.WHOLE).outcomes().get(0).decision().remaining())
        .isEqualTo(7);
  }

  @Test
  void decide_allowedThenDenied_reportsBothAndTheDecisiveRule() {
    assertThat(gate.decide("manual", REQUEST).allowed()).isTrue();
    assertThat(gate.decide("manual", REQUEST).allowed()).isFalse();
    assertThat(events).containsExactly("allowed true", "not allowed true", "denied by manual");
  }

  @Test
  void decideAsync_immediateStore_isCompleteAndReported() {
    assertThat(gate.decidesImmediately()).isTrue();
    assertThat(gate.decideAsync(REQUEST, Phase.EARLY).toCompletableFuture()).isCompleted();
    assertThat(gate.decideAsync("manual", REQUEST).toCompletableFuture()).isCompleted();
    assertThat(events).containsExactly("allowed true", "allowed true");
  }

  @Test
  void decide_withHandlerOnAnImmediateStore_callsItAtOnceWithoutTheExecutor() {
    gate.decide(
        REQUEST,
        () -> {
          throw new IllegalStateException("not needed");
        },
        handler);
    assertThat(events).containsExactly("not allowed true", "denied by late", "handled false");
  }

  @Test
  void decide_brokenRequest_isReportedToObserverAndHandler() {
    Request broken =
        (Request)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Request.class},
                (proxy, method, arguments) -> {
                  throw new IllegalStateException("broken");
                });
    gate.decide(broken, () -> Runnable::run, handler);
    assertThat(events).containsExactly("undecided: broken", "handler without a verdict");
  }

  @Test
  void peek_anyRequest_isNotReportedAndTakesNothing() {
    for (int i = 0; i < 3; i++) {
      gate.peek(REQUEST, () -> Runnable::run, handler);
    }
    assertThat(events).containsExactly("handled false", "handled false", "handled false");
    assertThat(gate.decide(REQUEST, Phase.EARLY).allowed()).isTrue();
  }

  @Test
  void combine_laterPhaseDenies_refundsTheEarlierOne() {
    for (int i = 0; i < 5; i++) {
      Verdict early = gate.decide(REQUEST, Phase.EARLY);
      assertThat(early.allowed()).as("attempt %s", i).isTrue();
      assertThat(gate.combine(early, gate.decide(REQUEST, Phase.LATE)).allowed()).isFalse();
    }
  }

  @Test
  void combine_bothAllow_keepsTheCharges() {
    Verdict early = gate.decide(REQUEST, Phase.EARLY);
    assertThat(gate.combine(null, early)).isSameAs(early);
    assertThat(gate.combine(early, Verdict.UNLIMITED)).isSameAs(early);
    assertThat(gate.decide(REQUEST, Phase.EARLY).allowed()).isTrue();
    assertThat(gate.decide(REQUEST, Phase.EARLY).allowed()).isFalse();
  }
}
