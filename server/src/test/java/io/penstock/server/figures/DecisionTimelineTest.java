package io.penstock.server.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.server.figures.TimelineView.TimelinePoint;
import io.penstock.testing.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DecisionTimelineTest {
  private static final Instant START = Instant.parse("2026-01-31T11:59:30.250Z");
  private static final int BUCKETS = 17;

  private final ManualClock clock = new ManualClock(12_345_678_901L);
  private final Counters counters = new Counters();
  private Duration shift = Duration.ZERO;
  private final DecisionTimeline timeline =
      new DecisionTimeline(
          counters, clock, () -> START.plusNanos(clock.nanos() - 12_345_678_901L).plus(shift));

  /** Counters that a test sets. */
  private static final class Counters implements CountSource {
    DecisionCounts requests = DecisionCounts.NONE;
    final Map<String, DecisionCounts> rules = new TreeMap<>();
    final long[] latencies = new long[BUCKETS];
    final Map<String, long[]> ruleLatencies = new TreeMap<>();

    @Override
    public void forEachRule(BiConsumer<String, DecisionCounts> action) {
      rules.forEach(action);
    }

    @Override
    public DecisionCounts requests() {
      return requests;
    }

    @Override
    public long[] latencies() {
      return latencies.clone();
    }

    @Override
    public long @Nullable [] latencies(String rule) {
      long[] counts = ruleLatencies.get(rule);
      return counts == null ? null : counts.clone();
    }

    void add(String rule, DecisionCounts counts) {
      rules.merge(rule, counts, DecisionCounts::plus);
      requests = requests.plus(counts);
    }
  }

  private void pass(int seconds) {
    clock.advance(Duration.ofSeconds(seconds));
    timeline.sample();
  }

  private static DecisionCounts counts(long allowed, long denied) {
    return new DecisionCounts(allowed, denied, 0, 0);
  }

  private static List<Long> allowed(TimelineView view) {
    return view.points().stream().map(point -> point.counts().allowed()).toList();
  }

  @Test
  void requests_beforeTheFirstSecond_hasNoPoints() {
    TimelineView view = timeline.requests(Resolution.SECOND, 900);
    assertThat(view.points()).isEmpty();
    assertThat(view.end()).isEqualTo(view.start());
  }

  @Test
  void sample_eachSecond_addsAPointWithTheDifference() {
    counters.add("a", new DecisionCounts(5, 1, 2, 3));
    pass(1);
    pass(1);
    counters.add("a", counts(7, 0));
    pass(1);
    TimelineView view = timeline.requests(Resolution.SECOND, 900);
    assertThat(view.points())
        .extracting(TimelinePoint::counts)
        .containsExactly(new DecisionCounts(5, 1, 2, 3), DecisionCounts.NONE, counts(7, 0));
    assertThat(view.start()).isEqualTo(Instant.parse("2026-01-31T11:59:30Z"));
    assertThat(view.end()).isEqualTo(Instant.parse("2026-01-31T11:59:33Z"));
    assertThat(timeline.rule("a", Resolution.SECOND, 900)).contains(view);
    assertThat(timeline.rule("b", Resolution.SECOND, 900)).isEmpty();
    assertThat(timeline.latest().counts()).isEqualTo(counts(7, 0));
  }

  @Test
  void sample_twiceInASecond_addsOnePoint() {
    counters.add("a", counts(1, 0));
    timeline.sample();
    clock.advance(Duration.ofMillis(500));
    timeline.sample();
    clock.advance(Duration.ofMillis(500));
    timeline.sample();
    assertThat(allowed(timeline.requests(Resolution.SECOND, 900))).containsExactly(1L);
  }

  @Test
  void sample_late_spreadsTheDifferenceOverTheMissedSeconds() {
    counters.add("a", counts(10, 0));
    pass(4);
    assertThat(allowed(timeline.requests(Resolution.SECOND, 900)))
        .hasSize(4)
        .allMatch(count -> count == 2 || count == 3)
        .satisfies(counts -> assertThat(counts.stream().mapToLong(i -> i).sum()).isEqualTo(10));
  }

  @Test
  void requests_lessThanAllPoints_returnsTheLatest() {
    for (int i = 1; i <= 5; i++) {
      counters.add("a", counts(i, 0));
      pass(1);
    }
    assertThat(allowed(timeline.requests(Resolution.SECOND, 2))).containsExactly(4L, 5L);
  }

  @Test
  void sample_moreThanAllPoints_dropsTheOldest() {
    for (int i = 0; i < 1_000; i++) {
      counters.add("a", counts(i, 0));
      pass(1);
    }
    List<Long> points = allowed(timeline.requests(Resolution.SECOND, 900));
    assertThat(points).hasSize(900).startsWith(100L).endsWith(999L);
  }

  @Test
  void sample_longPause_leavesNoOldPoints() {
    counters.add("a", counts(9, 9));
    pass(1);
    pass(100_000);
    assertThat(allowed(timeline.requests(Resolution.SECOND, 900))).hasSize(900).containsOnly(0L);
    assertThat(allowed(timeline.requests(Resolution.MINUTE, 1_440)))
        .hasSize(1_440)
        .containsOnly(0L);
    assertThat(allowed(timeline.rule("a", Resolution.MINUTE, 1_440).orElseThrow()))
        .containsOnly(0L);
  }

  @Test
  void minutes_complete_areSumsAlignedToTheTimeOfDay() {
    for (int i = 0; i < 150; i++) {
      counters.add("a", counts(1, 0));
      pass(1);
    }
    TimelineView minutes = timeline.requests(Resolution.MINUTE, 1_440);
    assertThat(allowed(minutes)).containsExactly(30L, 60L, 60L);
    assertThat(minutes.start()).isEqualTo(Instant.parse("2026-01-31T11:59:00Z"));
    assertThat(minutes.end()).isEqualTo(Instant.parse("2026-01-31T12:02:00Z"));
    pass(1);
    assertThat(allowed(timeline.requests(Resolution.MINUTE, 1_440))).hasSize(3);
  }

  @Test
  void minutes_moreThanADay_dropTheOldest() {
    for (int i = 0; i < 1_500; i++) {
      counters.add("a", counts(i, 0));
      pass(60);
    }
    List<Long> points = allowed(timeline.requests(Resolution.MINUTE, 1_440));
    assertThat(points).hasSize(1_440);
    assertThat(points.get(1_439)).isBetween(1_497L, 1_499L);
  }

  @Test
  void latency_percentiles_areThoseOfTheStep() {
    counters.latencies[3] = 98;
    counters.latencies[9] = 2;
    pass(1);
    pass(1);
    List<TimelinePoint> points = timeline.requests(Resolution.SECOND, 900).points();
    assertThat(points.get(0).latency().p50Micros()).isBetween(5.0, 10.0);
    assertThat(points.get(0).latency().p99Micros()).isBetween(1_000.0, 2_500.0);
    assertThat(points.get(1).latency()).isNull();
    pass(28);
    assertThat(timeline.requests(Resolution.MINUTE, 1).points().get(0).latency().p99Micros())
        .isBetween(1_000.0, 2_500.0);
    pass(60);
    assertThat(timeline.requests(Resolution.MINUTE, 1).points().get(0).latency()).isNull();
  }

  @Test
  void sample_timeOfDayIsSet_keepsPointsAndFollowsWithLabels() {
    pass(5);
    shift = Duration.ofHours(-1);
    pass(1);
    TimelineView view = timeline.requests(Resolution.SECOND, 900);
    assertThat(view.points()).hasSize(6);
    assertThat(view.end()).isEqualTo(Instant.parse("2026-01-31T10:59:36Z"));
  }

  @Test
  void recent_rules_areSortedByDenials() {
    counters.add("a", counts(100, 0));
    counters.add("b", counts(0, 1));
    counters.add("c", counts(0, 2));
    counters.add("idle", DecisionCounts.NONE);
    pass(1);
    assertThat(timeline.recent(60, 50))
        .extracting(DecisionTimeline.RuleActivity::rule)
        .containsExactly("c", "b", "a");
    assertThat(timeline.recent(60, 1))
        .extracting(DecisionTimeline.RuleActivity::rule)
        .containsExactly("c");
    pass(60);
    assertThat(timeline.recent(60, 50)).isEmpty();
  }

  @Test
  void sample_thousandRules_takesTheDocumentedMemory() {
    for (int rule = 0; rule <= 1_000; rule++) {
      counters.add("rule" + rule, counts(100, 10));
    }
    pass(1);
    // Two series a rule at a byte a second and a minute, as docs/decisions/0035 states.
    assertThat(timeline.memory()).isBetween(4_000_000, 5_000_000);
    for (int rule = 0; rule <= 1_000; rule++) {
      counters.add("rule" + rule, new DecisionCounts(100_000, 100_000, 100_000, 100_000));
    }
    pass(1);
    assertThat(timeline.memory()).isBetween(37_000_000, 38_000_000);
  }

  @Test
  void rule_withDecisions_hasTheirLatency() {
    counters.add("a", counts(1, 0));
    counters.add("b", counts(1, 0));
    pass(1);
    counters.ruleLatencies.put("a", new long[BUCKETS]);
    counters.ruleLatencies.get("a")[2] = 100;
    pass(1);
    pass(1);
    counters.ruleLatencies.get("a")[8] += 100;
    pass(60);
    List<TimelinePoint> points = timeline.rule("a", Resolution.SECOND, 900).orElseThrow().points();
    assertThat(points.get(0).latency()).isNull();
    assertThat(points.get(1).latency().p50Micros()).isBetween(2.5, 5.0);
    assertThat(points.get(1).latency().p99Micros()).isCloseTo(4.975, within(0.005));
    assertThat(points.get(2).latency()).isNull();
    assertThat(points.get(points.size() - 1).latency().p50Micros()).isBetween(500.0, 1_000.0);
    List<TimelinePoint> minutes =
        timeline.rule("a", Resolution.MINUTE, 1_440).orElseThrow().points();
    assertThat(minutes.get(0).latency().p50Micros()).isBetween(2.5, 1_000.0);
    assertThat(timeline.rule("b", Resolution.SECOND, 900).orElseThrow().points())
        .allMatch(point -> point.latency() == null);
  }
}
