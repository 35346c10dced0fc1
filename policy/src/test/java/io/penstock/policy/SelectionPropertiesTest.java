package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The indexes of the engine find exactly the rules that a linear search would find. */
class SelectionPropertiesTest {
  private static final String[] PATHS = {"/", "/a", "/a/b", "/a/b/c", "/ab", "/b", "/b/c", "/x.js"};
  private static final String[] PATTERNS = {
    "/", "/a", "/a/b", "/a*", "/a/*", "/a/b*", "/b*", "*", "/*", "*.js", "/a*c", "/x", "/a/b/c",
    "*/c", "*b", "/*/c"
  };
  private static final String[] HOSTS = {"one.test", "two.test", "three.test"};
  private static final String[] HOST_PATTERNS = {
    "one.test", "two.test", "*.test", "t*", "none", "*o.test"
  };
  private static final String[] METHODS = {"GET", "POST"};
  private static final String[] KEYS = {"user_id", "header:k", "user_id|header:k", "tenant"};
  private static final MissingKey[] MISSING = {null, MissingKey.SHARE, MissingKey.SKIP};

  @Property(tries = 300)
  void decide_anyPolicy_findsWhatReadingAllRulesFinds(@ForAll long seed) {
    Random random = new Random(seed);
    int rules = random.nextBoolean() ? random.nextInt(6) : random.nextInt(60);
    List<Rule> all = new ArrayList<>();
    for (int i = 0; i < rules; i++) {
      all.add(rule(random, i));
    }
    Policy policy = Policy.of(all.toArray(Rule[]::new));
    PolicyEngine engine = new PolicyEngine(InProcessStore.create(), policy);
    for (int i = 0; i < 20; i++) {
      ExplicitRequest request = request(random);
      List<String> expected = reference(all, request);
      assertThat(names(engine.decide(request))).as("%s", request).isEqualTo(expected);
      assertThat(names(engine.peek(request).toCompletableFuture().join())).isEqualTo(expected);
      assertThat(names(engine.decideAsync(request).toCompletableFuture().join()))
          .isEqualTo(expected);
      assertThat(findings(engine, request)).isEqualTo(referenceFindings(all, request));
      assertThat(
              engine.explain(request).toCompletableFuture().join().findings().stream()
                  .filter(finding -> finding.outcome() != null)
                  .map(finding -> finding.outcome().mode() + " " + finding.rule().name()))
          .containsExactlyInAnyOrderElementsOf(expected);
    }
  }

  private static List<String> names(Verdict verdict) {
    return verdict.outcomes().stream()
        .map(outcome -> outcome.mode() + " " + outcome.rule().name())
        .toList();
  }

  /** For each rule, whether it applies or which rule applies instead. */
  private static List<String> findings(PolicyEngine engine, Request request) {
    String earlierTier = "an earlier rule of its group applies: ";
    return engine.explain(request).toCompletableFuture().join().findings().stream()
        .map(
            finding -> {
              boolean hasEarlierTier = finding.why().startsWith(earlierTier);
              return finding.applies()
                  ? "applies"
                  : hasEarlierTier ? finding.why().substring(earlierTier.length()) : "not";
            })
        .toList();
  }

  private static List<String> referenceFindings(List<Rule> rules, Request request) {
    Map<TierGroup, Map<Mode, Rule>> chosen = chosen(rules, request);
    return rules.stream()
        .map(
            rule -> {
              if (!applies(rule, request)) {
                return "not";
              }
              Rule first = chosen.get(rule.tierGroup()).get(mode(rule));
              return first.equals(rule) ? "applies" : first.name();
            })
        .toList();
  }

  private static List<String> reference(List<Rule> rules, Request request) {
    Map<TierGroup, Map<Mode, Rule>> chosen = chosen(rules, request);
    List<String> names = new ArrayList<>();
    for (Mode mode : new Mode[] {Mode.ENFORCE, Mode.SHADOW}) {
      chosen.values().stream()
          .map(ofGroup -> ofGroup.get(mode))
          .filter(rule -> rule != null && !rule.isUnlimited())
          .sorted(Comparator.comparing(rules::indexOf))
          .forEach(rule -> names.add(mode + " " + rule.name()));
    }
    return names;
  }

  private static Map<TierGroup, Map<Mode, Rule>> chosen(List<Rule> rules, Request request) {
    Map<TierGroup, Map<Mode, Rule>> chosen = new LinkedHashMap<>();
    for (Rule rule : rules) {
      if (applies(rule, request)) {
        chosen
            .computeIfAbsent(rule.tierGroup(), unused -> new LinkedHashMap<>())
            .putIfAbsent(mode(rule), rule);
      }
    }
    return chosen;
  }

  /** Returns whether the rule would apply if it were the only one. */
  private static boolean applies(Rule rule, Request request) {
    boolean skipped =
        rule.limitKeys().stream()
            .anyMatch(part -> part.of(request) == null && rule.onMissing(part) == MissingKey.SKIP);
    return rule.rollout().mode() != Mode.OFF && rule.match().accepts(request) && !skipped;
  }

  private static Mode mode(Rule rule) {
    return rule.rollout().enforcePercent() == 0 ? Mode.SHADOW : rule.rollout().mode();
  }

  private static Rule rule(Random random, int number) {
    Rules rule = Rules.rule("r" + number).missing(any(random, MISSING));
    if (random.nextInt(4) > 0) {
      rule.by(any(random, KEYS));
    }
    if (random.nextBoolean()) {
      rule.where("path", any(random, PATTERNS), any(random, PATTERNS));
    }
    if (random.nextInt(4) == 0) {
      rule.where("host", any(random, HOST_PATTERNS));
    }
    if (random.nextInt(4) == 0) {
      rule.where("method", any(random, METHODS));
    }
    if (random.nextBoolean()) {
      rule.where("tenant", "t" + random.nextInt(12));
    }
    if (random.nextInt(4) == 0) {
      rule.where("header:k", "k" + random.nextInt(12), "k" + (12 + random.nextInt(3)));
    }
    if (random.nextInt(3) == 0) {
      rule.group("g" + random.nextInt(2));
    }
    if (random.nextInt(10) == 0) {
      rule.unlimited();
    }
    Mode mode = any(random, Mode.values());
    return rule.mode(mode, mode == Mode.ENFORCE && random.nextBoolean() ? 0 : 100).build();
  }

  private static ExplicitRequest request(Random random) {
    ExplicitRequest.Builder request =
        ExplicitRequest.builder()
            .path(any(random, PATHS))
            .host(any(random, HOSTS))
            .method(any(random, METHODS));
    if (random.nextInt(4) > 0) {
      request.attribute("user_id", "u" + random.nextInt(3));
    }
    if (random.nextBoolean()) {
      request.header("K", "k" + random.nextInt(3));
    }
    if (random.nextInt(4) > 0) {
      request.attribute("tenant", "t" + random.nextInt(14));
    }
    return request.build();
  }

  private static <T> T any(Random random, T[] of) {
    return of[random.nextInt(of.length)];
  }
}
