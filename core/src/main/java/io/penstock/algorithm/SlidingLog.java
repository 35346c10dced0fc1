package io.penstock.algorithm;

/**
 * Every request of the last window with its time and cost, oldest first, in a ring that grows with
 * use. Not thread-safe.
 */
final class SlidingLog extends Window {
  private static final int ENTRIES_PER_WEIGHT = 4;

  private long[] times = new long[ENTRIES_PER_WEIGHT];
  private long[] costs = new long[ENTRIES_PER_WEIGHT];
  private int oldest;
  private int size;
  private long sum;

  SlidingLog(long length) {
    super(length);
  }

  @Override
  public long used(long now) {
    expire(now);
    return sum;
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    long excess = used(now) + cost - limit;
    for (int i = 0; i < size && excess > 0; i++) {
      excess -= costs[at(i)];
      if (excess <= 0) {
        return times[at(i)] + length - now;
      }
    }
    return 0;
  }

  @Override
  public void add(long now, long cost) {
    expire(now);
    if (size > 0 && times[at(size - 1)] == now) {
      costs[at(size - 1)] += cost;
    } else {
      if (size == times.length) {
        grow();
      }
      times[at(size)] = now;
      costs[at(size)] = cost;
      size++;
    }
    sum += cost;
  }

  @Override
  public long lifetime(long now) {
    return length;
  }

  @Override
  public long resetAfter(long now) {
    expire(now);
    return size == 0 ? 0 : times[at(size - 1)] + length - now;
  }

  @Override
  public int weight() {
    return times.length / ENTRIES_PER_WEIGHT;
  }

  private void expire(long now) {
    for (int i = size - 1; i >= 0 && times[at(i)] - now > 0; i--) {
      times[at(i)] = now;
    }
    while (size > 0 && now - times[oldest] >= length) {
      sum -= costs[oldest];
      oldest = at(1);
      size--;
    }
  }

  private int at(int i) {
    int index = oldest + i;
    return index < times.length ? index : index - times.length;
  }

  private void grow() {
    long[] moreTimes = new long[times.length * 2];
    long[] moreCosts = new long[times.length * 2];
    for (int i = 0; i < size; i++) {
      moreTimes[i] = times[at(i)];
      moreCosts[i] = costs[at(i)];
    }
    times = moreTimes;
    costs = moreCosts;
    oldest = 0;
  }
}
