package io.penstock.policy;

import static io.penstock.policy.Rules.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.Limit;
import io.penstock.inprocess.InProcessStore;
import io.penstock.testing.ManualClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Answers that arrive later, on other threads and in another order than the requests. */
class PolicyEngineAsyncTest {
  private static final Limit TEN = Limit.perSecond(1).burst(10);
  private static final Policy POLICY =
      Policy.of(
          rule("user").by("user_id").limits(TEN).build(),
          rule("pair").by("user_id", "tenant").limits(TEN, Limit.perHour(6).burst(6)).build(),
          rule("shade").by("tenant").limits(TEN).mode(Mode.SHADOW, 100).build(),
          rule("dusk").by("user_id").where("path", "/*").mode(Mode.SHADOW, 100).build());

  private final DelayedStore store =
      new DelayedStore(InProcessStore.builder().clock(new ManualClock()).build());
  private final List<Outcome> reported = Collections.synchronizedList(new ArrayList<>());
  private final PolicyEngine engine = new PolicyEngine(store, POLICY, reported::add);

  private static ExplicitRequest request(int number, long tokens) {
    return ExplicitRequest.builder()
        .attribute("user_id", "u" + number)
        .attribute("tenant", "t" + number)
        .path("/")
        .costThousandths(tokens * 1_000)
        .build();
  }

  @Test
  void decideAsync_whenTheStoreThrows_failsTheStage() {
    store.failWith("broken");
    assertThat(engine.decideAsync(request(1, 1)).toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void replace_withALimitThatTheStoreDoesNotSupport_changesNothing() {
    store.failWith("too fine");
    Policy other = Policy.of(rule("other").by("user_id").limits(TEN).build());
    assertThatThrownBy(() -> engine.replace(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("rule other: too fine");
    assertThat(engine.policy()).isSameAs(POLICY);
    assertThatThrownBy(() -> new PolicyEngine(store, other))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Delivers all answers in random order, each on its own thread, until none is left. */
  private void answerAll(Random random) throws InterruptedException {
    for (List<Runnable> answers = shuffled(random);
        !answers.isEmpty();
        answers = shuffled(random)) {
      List<Thread> threads = answers.stream().map(Thread::new).toList();
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
  }

  private List<Runnable> shuffled(Random random) {
    List<Runnable> answers = new ArrayList<>(store.takeAnswers());
    Collections.shuffle(answers, random);
    return answers;
  }

  private static void assertIsOf(int number, long tokens, Verdict verdict) {
    String user = "user_id=u" + number;
    String tenant = "tenant=t" + number;
    boolean allowed = tokens <= 6;
    assertThat(verdict.allowed()).isEqualTo(allowed);
    assertThat(verdict.outcomes())
        .extracting(outcome -> outcome.mode() + " " + outcome.rule().name() + " " + outcome.key())
        .isEqualTo(
            allowed
                ? List.of(
                    "ENFORCE user " + user,
                    "ENFORCE pair " + user + "&" + tenant,
                    "SHADOW shade " + tenant,
                    "SHADOW dusk " + user)
                : List.of("ENFORCE user " + user, "ENFORCE pair " + user + "&" + tenant));
    assertThat(verdict.outcomes()).allMatch(outcome -> outcome.costThousandths() == tokens * 1_000);
    Outcome pair = verdict.outcomes().get(1);
    assertThat(pair.decision().allowed()).isEqualTo(allowed);
    assertThat(pair.decision().limit().burst()).isEqualTo(6);
    assertThat(pair.decision().remainingThousandths())
        .isEqualTo(allowed ? 6_000 - tokens * 1_000 : 6_000);
    if (allowed) {
      assertThat(verdict.outcomes().get(2).decision().remainingThousandths())
          .isEqualTo(10_000 - tokens * 1_000);
    }
  }

  @Test
  void decideAsync_answersOutOfOrder_belongToTheirRequests() throws InterruptedException {
    Random random = new Random(1);
    List<CompletableFuture<Verdict>> verdicts = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      verdicts.add(engine.decideAsync(request(i, i % 9 + 1)).toCompletableFuture());
      if (random.nextInt(10) == 0) {
        answerAll(random);
      }
    }
    answerAll(random);
    for (int i = 0; i < verdicts.size(); i++) {
      assertIsOf(i, i % 9 + 1, verdicts.get(i).join());
    }
    assertThat(reported).hasSize(verdicts.stream().mapToInt(v -> v.join().outcomes().size()).sum());
  }

  @Test
  void peek_answersOutOfOrder_belongToTheirRequestsAndTakeNothing() throws InterruptedException {
    Random random = new Random(2);
    for (int round = 0; round < 2; round++) {
      List<CompletableFuture<Verdict>> verdicts = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        verdicts.add(engine.peek(request(i, i % 9 + 1)).toCompletableFuture());
      }
      answerAll(random);
      for (int i = 0; i < verdicts.size(); i++) {
        assertIsOf(i, i % 9 + 1, verdicts.get(i).join());
      }
    }
    assertThat(reported).isEmpty();
  }

  @Test
  void decideAsync_replacedWhileWaiting_usesTheOriginalPolicy() throws InterruptedException {
    CompletableFuture<Verdict> waiting = engine.decideAsync(request(1, 2)).toCompletableFuture();
    engine.replace(Policy.of(rule("next").by("user_id").limits(Limit.perSecond(1)).build()));
    CompletableFuture<Verdict> after = engine.decideAsync(request(1, 1)).toCompletableFuture();
    answerAll(new Random(3));
    assertIsOf(1, 2, waiting.join());
    assertThat(after.join().outcomes()).hasSize(1);
    assertThat(after.join().allowed()).isFalse();
  }

  @Test
  void decideAsync_whileOthersWait_decidesInBetween() throws InterruptedException {
    CompletableFuture<Verdict> waiting = engine.decideAsync(request(1, 2)).toCompletableFuture();
    assertIsOf(2, 3, engine.decide(request(2, 3)));
    assertThat(waiting).isNotDone();
    answerAll(new Random(4));
    assertIsOf(1, 2, waiting.join());
  }
}
