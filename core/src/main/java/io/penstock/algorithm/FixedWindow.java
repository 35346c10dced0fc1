package io.penstock.algorithm;

/** One count for each window, aligned to the clock. Not thread-safe. */
final class FixedWindow extends Window {
  private long index = Long.MIN_VALUE;
  private long count;

  FixedWindow(long length) {
    super(length);
  }

  @Override
  public long used(long now) {
    roll(now);
    return count;
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    return used(now) + cost <= limit ? 0 : length - elapsed(now);
  }

  @Override
  public void add(long now, long cost) {
    roll(now);
    count += cost;
  }

  @Override
  public long lifetime(long now) {
    return length - elapsed(now);
  }

  @Override
  public long resetAfter(long now) {
    return used(now) == 0 ? 0 : length - elapsed(now);
  }

  private void roll(long now) {
    if (index(now) > index) {
      count = 0;
    }
    index = index(now);
  }
}
