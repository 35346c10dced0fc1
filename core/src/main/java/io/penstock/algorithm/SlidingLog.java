package io.penstock.algorithm;

/**
 * The time and cost of every request in the last window, oldest first, in a ring buffer that grows
 * on demand. Requests at the same time share one entry. Not thread-safe.
 */
final class SlidingLog extends Window {
  private static final int ENTRIES_PER_WEIGHT = 4;
  private static final int MAX_LENGTH_DOUBLED = 1024;
  private static final int MIN_LENGTH_SHRUNK = 64;

  private long[] times = new long[ENTRIES_PER_WEIGHT];
  private long[] costs = new long[ENTRIES_PER_WEIGHT];
  private int oldest;
  private int size;
  private long sum;

  SlidingLog(long length) {
    super(length);
  }

  @Override
  public void advance(long now) {
    for (int i = size - 1; i >= 0 && times[at(i)] - now > 0; i--) {
      times[at(i)] = now;
    }
    while (size > 0 && isExpired(oldest, now)) {
      sum -= costs[oldest];
      oldest = at(1);
      size--;
    }
  }

  @Override
  public long used(long now) {
    long used = sum;
    for (int i = 0; i < size && isExpired(at(i), now); i++) {
      used -= costs[at(i)];
    }
    return used;
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    long excess = used(now) + cost - limit;
    for (int i = 0; i < size && excess > 0; i++) {
      if (!isExpired(at(i), now)) {
        excess -= costs[at(i)];
        if (excess <= 0) {
          return remaining(at(i), now);
        }
      }
    }
    return 0;
  }

  @Override
  public void add(long now, long cost) {
    advance(now);
    if (size > 0 && times[at(size - 1)] == now) {
      costs[at(size - 1)] += cost;
    } else {
      if (size == times.length) {
        grow();
      } else if (times.length >= MIN_LENGTH_SHRUNK && size < times.length / 8) {
        resize(times.length / 4);
      }
      times[at(size)] = now;
      costs[at(size)] = cost;
      size++;
    }
    sum += cost;
  }

  @Override
  public void addForeign(long now, long cost, long max) {
    advance(now);
    long counted = Math.min(cost, max);
    forget(sum + counted - max);
    add(now, counted);
  }

  @Override
  public long maxCount(long limit, long longest) {
    return limit;
  }

  @Override
  public long lifetime(long now) {
    return length;
  }

  @Override
  public long resetAfter(long now) {
    return size == 0 || isExpired(at(size - 1), now) ? 0 : remaining(at(size - 1), now);
  }

  @Override
  public int weight() {
    return times.length / ENTRIES_PER_WEIGHT;
  }

  @Override
  public boolean isFull(long now) {
    return size == times.length && !isExpired(oldest, now) && times[at(size - 1)] - now < 0;
  }

  @Override
  public int grownWeight() {
    return grownLength() / ENTRIES_PER_WEIGHT;
  }

  private int grownLength() {
    int length = times.length;
    return length + (length < MAX_LENGTH_DOUBLED ? length : length / 4);
  }

  @Override
  public void grow() {
    resize(grownLength());
  }

  /** Merges each pair of entries into one with the later time. */
  @Override
  public void coarsen() {
    int kept = 0;
    for (int i = 0; i < size; i += 2) {
      int last = Math.min(i + 1, size - 1);
      long cost = last == i ? costs[at(i)] : costs[at(i)] + costs[at(last)];
      times[at(kept)] = times[at(last)];
      costs[at(kept)] = cost;
      kept++;
    }
    size = kept;
  }

  /** Removes the oldest costs, {@code amount} in total. */
  private void forget(long amount) {
    for (long left = amount; left > 0; ) {
      long removed = Math.min(left, costs[oldest]);
      costs[oldest] -= removed;
      sum -= removed;
      left -= removed;
      if (costs[oldest] == 0) {
        oldest = at(1);
        size--;
      }
    }
  }

  /** Whether the entry at {@code index} of the ring buffer no longer counts. */
  private boolean isExpired(int index, long now) {
    return now - times[index] >= length;
  }

  /** Ticks until the entry expires; an entry with a time in the future counts from now. */
  private long remaining(int index, long now) {
    return Math.min(times[index] - now, 0) + length;
  }

  private int at(int i) {
    int index = oldest + i;
    return index < times.length ? index : index - times.length;
  }

  private void resize(int length) {
    long[] movedTimes = new long[length];
    long[] movedCosts = new long[length];
    for (int i = 0; i < size; i++) {
      movedTimes[i] = times[at(i)];
      movedCosts[i] = costs[at(i)];
    }
    times = movedTimes;
    costs = movedCosts;
    oldest = 0;
  }
}
