package io.penstock.server.figures;

import io.penstock.NanoClock;
import io.penstock.policy.Outcome;
import io.penstock.policy.Request;
import io.penstock.policy.http.GateObserver;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The keys that were denied most within the last 14 to 15 minutes, for each rule. Thread-safe.
 *
 * <p>An allowed request does nothing here. A denial increments a counter in a buffer of its thread;
 * {@link #drain} empties the buffers about once a second. A buffer that is full is drained early by
 * the executor. If too many of them wait, only its most frequent keys are kept in the buffer, and
 * the denials of the others are counted as a number.
 *
 * <p>Memory is bounded by the number of tracked keys, which the rules with denials share: {@value
 * #MAX_KEYS_PER_RULE} keys for each of up to 32 rules, fewer for more rules. Rules beyond the first
 * {@value #MAX_RULES} are tracked together.
 */
public final class TopDenied implements GateObserver {
  /** The length of the window. The oldest minute drops out as a whole. */
  public static final Duration WINDOW = Duration.ofMinutes(HeavyHitters.MINUTES);

  static final int MAX_RULES = 1_000;
  static final int MAX_KEYS_PER_RULE = 2_048;
  static final int MAX_KEYS = 65_536;

  private static final int MIN_KEYS_PER_RULE = 2 * HeavyHitters.MIN_KEPT;
  private static final int STRIPES = 16;
  private static final int MAX_BUFFER_KEYS = 2_048;
  private static final int MAX_KEPT_KEYS = MAX_BUFFER_KEYS / 4;
  private static final int MAX_WAITING_BUFFERS = 8;
  private static final Comparator<TopKey> ORDER =
      Comparator.comparingLong(TopKey::denied)
          .reversed()
          .thenComparing(TopKey::rule)
          .thenComparing(TopKey::key);

  private final NanoClock clock;
  private final InstantSource time;
  private final Executor executor;
  private final DenialBuffer[] buffers = new DenialBuffer[STRIPES];
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder total = new LongAdder();

  /** Denials since the last drain that are not counted by key. */
  private final LongAdder uncounted = new LongAdder();

  /** The counts of each rule; guarded by this. */
  private final Map<String, HeavyHitters> rules = new HashMap<>();

  /** The counts of all rules beyond the max number; guarded by this. */
  private final HeavyHitters others;

  /** The denials of each minute that are not counted by key; guarded by this. */
  private final CountRing uncountedByMinute = new CountRing(HeavyHitters.MINUTES);

  /** The current minute of the window; guarded by this. */
  private long minute;

  /**
   * @param clock measures the window
   * @param time the time of day
   * @param executor drains buffers that are full
   */
  public TopDenied(NanoClock clock, InstantSource time, Executor executor) {
    this.clock = clock;
    this.time = time;
    this.executor = executor;
    this.minute = minute();
    this.others = new HeavyHitters(minute);
    for (int i = 0; i < STRIPES; i++) {
      buffers[i] = new DenialBuffer();
    }
  }

  /**
   * The result of a query.
   *
   * @param denied the number of all denials in the window
   * @param keys the keys that were denied most, in descending order
   */
  public record TopKeys(long denied, List<TopKey> keys) {}

  @Override
  public void denied(Request request, Outcome decisive) {
    count(decisive.rule().name(), decisive.key());
  }

  void count(String rule, String key) {
    total.increment();
    DenialBuffer buffer = buffers[(int) (Thread.currentThread().getId() % STRIPES)];
    Map<DeniedKey, DenialNumber> full = buffer.add(new DeniedKey(rule, key));
    if (full != null) {
      drainLater(full, buffer);
    }
  }

  private void drainLater(Map<DeniedKey, DenialNumber> full, DenialBuffer buffer) {
    if (waiting.incrementAndGet() > MAX_WAITING_BUFFERS) {
      waiting.decrementAndGet();
      uncounted.add(buffer.keepFrequent(full));
      return;
    }
    executor.execute(
        () -> {
          waiting.decrementAndGet();
          merge(full);
        });
  }

  /** Returns the number of all denials since the start. */
  public long total() {
    return total.sum();
  }

  /**
   * Returns how many denials within the window were not counted by key because there were too many
   * keys. The keys denied most are hardly among them.
   */
  public long uncounted() {
    drain();
    return uncountedInWindow();
  }

  private synchronized long uncountedInWindow() {
    return uncountedByMinute.sum(minute - HeavyHitters.MINUTES + 1, minute + 1);
  }

  /** Moves the contents of all buffers to the counts of their rules. */
  public void drain() {
    expire();
    for (DenialBuffer buffer : buffers) {
      Map<DeniedKey, DenialNumber> denials = buffer.take();
      if (!denials.isEmpty()) {
        merge(denials);
      }
    }
  }

  /** Moves the window to the current minute, and adds what was not counted by key. */
  private synchronized void expire() {
    long now = minute();
    if (now > minute) {
      for (long entered = Math.max(minute + 1, now - HeavyHitters.MINUTES + 1);
          entered <= now;
          entered++) {
        uncountedByMinute.set(entered, 0);
      }
      minute = now;
      rules.values().forEach(counts -> counts.advance(now));
      others.advance(now);
      rules.values().removeIf(counts -> counts.size() == 0 && counts.total() == 0);
    }
    long more = uncounted.sumThenReset();
    if (more > 0) {
      uncountedByMinute.set(minute, uncountedByMinute.get(minute) + more);
    }
  }

  private synchronized void merge(Map<DeniedKey, DenialNumber> denials) {
    expire();
    Instant now = time.instant();
    denials.forEach(
        (key, number) -> {
          HeavyHitters counts = counts(key.rule());
          if (number.value == 1) {
            counts.addRare(key, now);
          } else {
            counts.add(key, number.value, now);
          }
        });
    int share = Math.min(MAX_KEYS_PER_RULE, MAX_KEYS / Math.max(1, rules.size()));
    int limit = Math.max(MIN_KEYS_PER_RULE, share);
    rules.values().forEach(counts -> counts.trim(limit, now));
    others.trim(MAX_KEYS_PER_RULE, now);
  }

  private HeavyHitters counts(String rule) {
    HeavyHitters counts = rules.get(rule);
    if (counts == null) {
      if (rules.size() >= MAX_RULES) {
        return others;
      }
      counts = new HeavyHitters(minute);
      rules.put(rule, counts);
    }
    return counts;
  }

  private long minute() {
    return Math.floorDiv(clock.nanos(), Duration.ofMinutes(1).toNanos());
  }

  /** Returns the keys that any rule denied most. */
  public TopKeys top(int limit) {
    drain();
    return topOfAll(limit);
  }

  private synchronized TopKeys topOfAll(int limit) {
    long denied = others.total();
    List<TopKey> keys = new ArrayList<>();
    others.forEach(keys::add);
    for (HeavyHitters counts : rules.values()) {
      denied += counts.total();
      counts.forEach(keys::add);
    }
    return new TopKeys(denied, first(keys, limit));
  }

  /** Returns the keys that a rule denied most. */
  public TopKeys top(String rule, int limit) {
    drain();
    return topOf(rule, limit);
  }

  private synchronized TopKeys topOf(String rule, int limit) {
    List<TopKey> keys = new ArrayList<>();
    @Nullable HeavyHitters counts = rules.get(rule);
    if (counts != null) {
      counts.forEach(keys::add);
      return new TopKeys(counts.total(), first(keys, limit));
    }
    others.forEach(keys::add);
    keys.removeIf(key -> !key.rule().equals(rule));
    long denied = keys.stream().mapToLong(TopKey::denied).sum();
    return new TopKeys(denied, first(keys, limit));
  }

  private static List<TopKey> first(List<TopKey> keys, int limit) {
    PriorityQueue<TopKey> first = new PriorityQueue<>(ORDER.reversed());
    for (TopKey key : keys) {
      first.add(key);
      if (first.size() > limit) {
        first.remove();
      }
    }
    return first.stream().sorted(ORDER).toList();
  }

  /** Returns the number of tracked keys. */
  synchronized int size() {
    return others.size() + rules.values().stream().mapToInt(HeavyHitters::size).sum();
  }

  private static final class DenialNumber {
    long value = 1;
  }

  /** The denials of some threads since the last drain. */
  private static final class DenialBuffer {
    private Map<DeniedKey, DenialNumber> counted = new HashMap<>();

    /** Counts a denial; returns the contents if the buffer is full, and empties it. */
    synchronized @Nullable Map<DeniedKey, DenialNumber> add(DeniedKey key) {
      DenialNumber number = counted.get(key);
      if (number != null) {
        number.value++;
        return null;
      }
      counted.put(key, new DenialNumber());
      if (counted.size() < MAX_BUFFER_KEYS) {
        return null;
      }
      Map<DeniedKey, DenialNumber> full = counted;
      // The next keys are likely to be as many.
      counted = new HashMap<>(2 * MAX_BUFFER_KEYS);
      return full;
    }

    /** Takes back the most frequent of some denials; returns the number of the others. */
    synchronized long keepFrequent(Map<DeniedKey, DenialNumber> denials) {
      List<Map.Entry<DeniedKey, DenialNumber>> descending = new ArrayList<>(denials.entrySet());
      descending.sort(Comparator.comparingLong(entry -> -entry.getValue().value));
      for (Map.Entry<DeniedKey, DenialNumber> entry : descending.subList(0, MAX_KEPT_KEYS)) {
        DenialNumber newer = counted.putIfAbsent(entry.getKey(), entry.getValue());
        if (newer != null) {
          newer.value += entry.getValue().value;
        }
      }
      return descending.subList(MAX_KEPT_KEYS, descending.size()).stream()
          .mapToLong(entry -> entry.getValue().value)
          .sum();
    }

    synchronized Map<DeniedKey, DenialNumber> take() {
      Map<DeniedKey, DenialNumber> taken = counted;
      if (taken.isEmpty()) {
        return Map.of();
      }
      counted = new HashMap<>();
      return taken;
    }
  }
}
