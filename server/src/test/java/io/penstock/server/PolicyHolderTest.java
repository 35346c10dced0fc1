package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.penstock.Buckets;
import io.penstock.Claim;
import io.penstock.Decision;
import io.penstock.Limit;
import io.penstock.Store;
import io.penstock.StoreOptions;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.PolicyObserver;
import io.penstock.policy.Rule;
import io.penstock.policy.RuleKey;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.OrderedRule;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.RuleCandidate;
import io.penstock.policy.load.RuleReader;
import io.penstock.server.proxy.LoggedWarnings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules of the database are merged with those of a file, and each is validated separately. */
final class PolicyHolderTest {
  private static final String FILE = "rules: [{name: file, limit_keys: ['ip:address'], rate: 1/s}]";

  @TempDir private Path folder;
  private final AtomicBoolean broken = new AtomicBoolean();

  @Test
  void merge_rowTheStoreRejects_keepsItsOldVersionAndAffectsNoOther() {
    OrderedRule before = row(1, "{name: a, limit_keys: [user_id], rate: 1/s, burst: 10}");
    OrderedRule now = row(1, "{name: a, limit_keys: [user_id], rate: 1/s, burst: 777}");
    OrderedRule added = row(2, "{name: b, limit_keys: [tenant], rate: 1/s, burst: 777}");
    OrderedRule good = row(3, "{name: c, limit_keys: [host], rate: 1/s}");
    try (PolicyHolder policyHolder = policyHolder(FILE)) {
      policyHolder.merge(List.of(candidate(before, null)), "postgres");
      Optional<?> joined =
          policyHolder.merge(
              List.of(candidate(now, before), candidate(added, null), candidate(good, null)),
              "postgres");

      assertThat(joined).isPresent();
      assertThat(names(policyHolder)).containsExactly("file", "a", "c");
      assertThat(policyHolder.engine().policy().rules().get(1)).isEqualTo(before.rule().value());
      assertThat(policyHolder.active().rejected())
          .extracting(Problem::toString)
          .containsExactly(
              "rate_limit_rule 1: rule a: burst must not be 777",
              "rate_limit_rule 2: rule b: burst must not be 777");

      RunningServer.write(folder, FILE.replace("file", "other"));
      policyHolder.reload();
      assertThat(names(policyHolder)).as("after a change of the file").contains("other", "a", "c");
      assertThat(policyHolder.active().rejected()).hasSize(2);
    }
  }

  @Test
  void merge_goodRowsAfterARejectedMerge_clearsTheProblem() {
    try (PolicyHolder policyHolder = policyHolder(FILE)) {
      OrderedRule bad = row(1, "{name: a, limit_keys: [user_id], rate: 1/s, burst: 888}");
      OrderedRule good = row(1, "{name: a, limit_keys: [user_id], rate: 1/s, burst: 9}");
      assertThat(policyHolder.merge(List.of(candidate(bad, null)), "postgres")).isEmpty();
      assertThat(policyHolder.active().rejected()).hasSize(1);

      policyHolder.merge(List.of(candidate(good, null)), "postgres");

      assertThat(names(policyHolder)).containsExactly("file", "a");
      assertThat(policyHolder.active().rejected()).isEmpty();
    }
  }

  @Test
  void reload_thatThrows_keepsTheOldPolicyAndIsReportedWithoutTheMessage() {
    List<RuleCandidate> rows =
        List.of(candidate(row(1, "{name: a, limit_keys: [user_id], rate: 1/s}"), null));
    try (LoggedWarnings log = new LoggedWarnings();
        PolicyHolder policyHolder = policyHolder(FILE)) {
      policyHolder.merge(rows, "postgres");

      broken.set(true);
      RunningServer.write(folder, FILE.replace("file", "other"));
      policyHolder.reload();
      assertThat(names(policyHolder)).containsExactly("file", "a");
      assertThat(policyHolder.active().rejected())
          .singleElement()
          .asString()
          .contains("policy.yaml: ", " internal error: java.lang.IllegalStateException at ")
          .contains("PolicyHolderTest.java")
          .doesNotContain("sesame");
      assertThat(log.stackTraces()).singleElement().asString().startsWith("policy rejected: ");

      broken.set(false);
      policyHolder.reload();
      assertThat(names(policyHolder)).containsExactly("other", "a");
      assertThat(policyHolder.active().rejected()).isEmpty();
    }
  }

  @Test
  void reload_policyTheStoreRejectsAfterAnInvalidOne_reportsTheCurrentProblemOnly() {
    try (PolicyHolder policyHolder = policyHolder(FILE)) {
      RunningServer.write(folder, "nonsense: 1");
      policyHolder.reload();
      assertThat(policyHolder.active().rejected()).isNotEmpty();

      RunningServer.write(folder, FILE.replace("rate: 1/s", "rate: 1/s, burst: 777"));
      policyHolder.reload();
      assertThat(policyHolder.active().rejected())
          .singleElement()
          .asString()
          .contains("burst must not be 777");
    }
  }

  @Test
  void merge_rowTheStoreRejectsInModeOff_isActive() {
    OrderedRule off = row(1, "{name: a, limit_keys: [user_id], rate: 1/s, burst: 777, mode: off}");
    try (PolicyHolder policyHolder = policyHolder(FILE)) {
      policyHolder.merge(List.of(candidate(off, null)), "postgres");
      assertThat(names(policyHolder)).containsExactly("file", "a");
      assertThat(policyHolder.active().rejected()).isEmpty();
    }
  }

  @Test
  void merge_rowWithPatternThatNeverMatches_warns() {
    OrderedRule row = row(1, "{name: a, limit_keys: [host], rate: 1/s, match: {path: '/a?b'}}");
    try (PolicyHolder policyHolder = policyHolder(FILE)) {
      policyHolder.merge(List.of(candidate(row, null)), "postgres");
      assertThat(policyHolder.active().loaded().warnings())
          .extracting(Problem::toString)
          .containsExactly(
              "rate_limit_rule 1: warning: match.path: a path has no query; match query:NAME, or"
                  + " write %3F for a question mark in the path: /a?b");
    }
  }

  @Test
  void reload_overrideTheStoreRejects_hasNoEffectAndIsLogged() {
    RuleKey key = new RuleKey("file", "ip:address=192.0.2.1");
    try (PolicyHolder policyHolder = policyHolder(FILE);
        LoggedWarnings logged = new LoggedWarnings()) {
      policyHolder.engine().override(key, Limit.perSecond(1).burst(888));
      RunningServer.write(folder, FILE.replace("1/s", "2/s"));
      policyHolder.reload();

      assertThat(policyHolder.active().rejected()).isEmpty();
      assertThat(policyHolder.engine().policy().rules().get(0).limits())
          .containsExactly(Limit.perSecond(2));
      assertThat(policyHolder.engine().buckets(key).orElseThrow().peek())
          .isCompletedWithValueMatching(
              results -> results.get(0).limit().equals(Limit.perSecond(2)));
      assertThat(logged.messages())
          .containsExactly(
              "override of a key has no effect: the override of a key of rule file: burst must not"
                  + " be 888");
    }
  }

  @Test
  void merge_rowWithAMistake_isRejectedWithASuggestion() {
    OrderedRule row = row(1, "{name: a, limit_keys: [ip], rate: 1/s}");
    try (PolicyHolder policyHolder = policyHolder(FILE)) {
      policyHolder.merge(List.of(candidate(row, null)), "postgres");
      assertThat(policyHolder.active().rejected())
          .singleElement()
          .asString()
          .contains("rate_limit_rule 1: limit_keys: ", "ip; did you mean ip:address?");
    }
  }

  private PolicyHolder policyHolder(String file) {
    Path path = RunningServer.write(folder, file);
    return new PolicyHolder(
        new PolicyHolder.Rules(Optional.of(path), PolicyHolder.RuleSource.DATABASE),
        new PickyStore(InProcessStore.create(), new AtomicInteger(), broken),
        PolicyObserver.NONE,
        new SimpleMeterRegistry());
  }

  private static List<String> names(PolicyHolder policyHolder) {
    return policyHolder.engine().policy().rules().stream().map(Rule::name).toList();
  }

  private static RuleCandidate candidate(OrderedRule now, OrderedRule before) {
    return new RuleCandidate(now, before, List.of());
  }

  private static OrderedRule row(long id, String yaml) {
    Problems problems = new Problems();
    Location at = Location.of("rate_limit_rule " + id);
    Located<Rule> rule =
        RuleReader.read(
            new Located<>(Document.parse(yaml, "rule.yaml", problems), at, ""), problems);
    assertThat(problems.errors()).isEmpty();
    return new OrderedRule(rule, id, 0, false);
  }

  /**
   * A store that rejects a burst of 777, and a burst of 888 from the second time on: when the
   * policy is replaced, after the row alone was accepted. While it is broken, it throws.
   */
  private record PickyStore(Store all, AtomicInteger checks, AtomicBoolean broken)
      implements Store {
    @Override
    public void check(String name, Limit limit, StoreOptions storeOptions) {
      if (broken.get()) {
        throw new IllegalStateException("sesame");
      }
      if (limit.toString().contains("777")) {
        throw new IllegalArgumentException("burst must not be 777");
      }
      if (limit.toString().contains("888") && checks.incrementAndGet() > 1) {
        throw new IllegalArgumentException("burst must not be 888");
      }
    }

    @Override
    public Buckets buckets(String name, Limit limit, StoreOptions storeOptions) {
      return all.buckets(name, limit, storeOptions);
    }

    @Override
    public Decision take(List<Claim> claims) {
      return all.take(claims);
    }

    @Override
    public CompletionStage<Decision> takeAsync(List<Claim> claims) {
      return all.takeAsync(claims);
    }

    @Override
    public CompletionStage<Decision> peekAsync(List<Claim> claims) {
      return all.peekAsync(claims);
    }

    @Override
    public void close() {
      all.close();
    }
  }
}
