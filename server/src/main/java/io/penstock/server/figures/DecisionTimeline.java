package io.penstock.server.figures;

import io.penstock.NanoClock;
import io.penstock.server.figures.TimelineView.TimelinePoint;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decisions over time, of each rule and of all requests: a point a second for 15 minutes, and a
 * point a minute for 24 hours. Thread-safe.
 *
 * <p>{@link #sample} only reads counters, so decisions don't wait for it. Points are numbered by
 * seconds since 1970 of a clock that can't be set; only their labels follow the time of day.
 */
public final class DecisionTimeline {
  private static final long MAX_LABEL_ERROR_SECONDS = 2;
  private static final Comparator<RuleActivity> BY_DENIALS =
      Comparator.<RuleActivity>comparingLong(activity -> activity.counts().denied())
          .thenComparingLong(activity -> activity.counts().shadowDenied())
          .thenComparingLong(activity -> activity.counts().allowed())
          .reversed()
          .thenComparing(RuleActivity::rule);

  private final CountSource source;
  private final NanoClock clock;
  private final InstantSource time;
  private final long originNanos;
  private final long originSecond;
  private final CountTrack requests = new CountTrack();
  private final Map<String, CountTrack> rules = new HashMap<>();
  private final LatencyTrack latency;

  /** All points before this second are complete. */
  private long end;

  /** What to add to the number of a second to get the time of day. */
  private long labelOffset;

  /** The recent decisions of one rule. */
  public record RuleActivity(String rule, DecisionCounts counts) {}

  /** The counter of a rule when it was last sampled, and its points. */
  private static final class CountTrack {
    final CountSeries seconds = new CountSeries(Resolution.SECOND);
    final CountSeries minutes = new CountSeries(Resolution.MINUTE);
    DecisionCounts before = DecisionCounts.NONE;

    /** Null before the first decision, and for all requests. */
    @Nullable LatencyTrack latency;

    CountSeries at(Resolution resolution) {
      return resolution == Resolution.SECOND ? seconds : minutes;
    }
  }

  /**
   * @param clock measures the distance of points
   * @param time the time of day, for labels
   */
  public DecisionTimeline(CountSource source, NanoClock clock, InstantSource time) {
    this.source = source;
    this.clock = clock;
    this.time = time;
    Instant start = time.instant();
    this.originNanos = clock.nanos() - start.getNano();
    this.originSecond = start.getEpochSecond();
    this.end = originSecond;
    this.latency = new LatencyTrack(source.latencies());
  }

  private long second() {
    return originSecond
        + Math.floorDiv(clock.nanos() - originNanos, Duration.ofSeconds(1).toNanos());
  }

  /**
   * Adds what was counted since the last call to the seconds that have passed since. Call it about
   * once a second.
   */
  public synchronized void sample() {
    long now = second();
    if (now <= end) {
      return;
    }
    long error = time.instant().getEpochSecond() - now - labelOffset;
    if (Math.abs(error) >= MAX_LABEL_ERROR_SECONDS) {
      labelOffset += error;
    }
    add(requests, source.requests(), now);
    rules.values().forEach(track -> clear(track, now));
    source.forEachRule((rule, counts) -> addToRule(rule, counts, now));
    latency.sample(end, now, source.latencies());
    end = now;
  }

  private void addToRule(String rule, DecisionCounts counts, long now) {
    CountTrack track = rules.get(rule);
    if (track == null) {
      track = new CountTrack();
      rules.put(rule, track);
    }
    add(track, counts, now);
    long[] latencies = source.latencies(rule);
    if (latencies != null) {
      if (track.latency == null) {
        track.latency = new LatencyTrack(new long[latencies.length]);
      }
      track.latency.sample(end, now, latencies);
    }
  }

  private void clear(CountTrack track, long now) {
    track.seconds.clear(end - 1, now - 1);
    track.minutes.clear(end - 1, now - 1);
  }

  private void add(CountTrack track, DecisionCounts counts, long now) {
    clear(track, now);
    DecisionCounts added = counts.since(track.before);
    track.before = counts;
    long first = Math.max(end, now - Resolution.SECOND.points());
    for (long second = first; second < now; second++) {
      DecisionCounts part = added.part(second - first, now - first);
      track.seconds.add(second, part);
      track.minutes.add(second, part);
    }
  }

  /** Returns the last complete points of all requests, at most {@code max}. */
  public synchronized TimelineView requests(Resolution resolution, int max) {
    return view(requests, latency, resolution, max);
  }

  /** Returns the last complete points of a rule; empty if the rule has never been evaluated. */
  public synchronized Optional<TimelineView> rule(String rule, Resolution resolution, int max) {
    CountTrack track = rules.get(rule);
    return track == null
        ? Optional.empty()
        : Optional.of(view(track, track.latency, resolution, max));
  }

  private TimelineView view(
      CountTrack track, @Nullable LatencyTrack latencies, Resolution resolution, int max) {
    long last = resolution.position(end);
    long kept = last - resolution.position(originSecond);
    long first = last - Math.min(kept, Math.min(max, resolution.points()));
    List<TimelinePoint> points = new ArrayList<>((int) (last - first));
    for (long position = first; position < last; position++) {
      points.add(
          new TimelinePoint(
              track.at(resolution).at(position),
              latencies == null ? null : latencies.at(resolution).at(position)));
    }
    return new TimelineView(
        resolution,
        Instant.ofEpochSecond(first * resolution.seconds() + labelOffset),
        List.copyOf(points));
  }

  /** Returns the last complete second of all requests. */
  public synchronized TimelinePoint latest() {
    return new TimelinePoint(
        requests.seconds.at(end - 1), latency.at(Resolution.SECOND).at(end - 1));
  }

  /** Returns the rules with decisions in the last seconds, those with most denials first. */
  public synchronized List<RuleActivity> recent(int seconds, int limit) {
    List<RuleActivity> activities = new ArrayList<>();
    rules.forEach(
        (rule, track) -> {
          DecisionCounts sum = track.seconds.sum(end - seconds, end);
          if (!sum.equals(DecisionCounts.NONE)) {
            activities.add(new RuleActivity(rule, sum));
          }
        });
    activities.sort(BY_DENIALS);
    return List.copyOf(activities.subList(0, Math.min(limit, activities.size())));
  }

  /** Returns the size of the points of all rules in bytes. */
  synchronized int memory() {
    return rules.values().stream()
        .mapToInt(
            track ->
                track.seconds.memory()
                    + track.minutes.memory()
                    + (track.latency == null ? 0 : track.latency.memory()))
        .sum();
  }
}
