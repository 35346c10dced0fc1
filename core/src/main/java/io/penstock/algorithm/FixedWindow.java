package io.penstock.algorithm;

/** One count for each window, aligned to the clock. Not thread-safe. */
final class FixedWindow extends Window {
  private long index = Long.MIN_VALUE;
  private long count;

  FixedWindow(long length) {
    super(length);
  }

  @Override
  public void advance(long now) {
    count = used(now);
    index = index(now);
  }

  @Override
  public long used(long now) {
    return index(now) > index ? 0 : count;
  }

  @Override
  public long waitFor(long now, long cost, long limit) {
    return used(now) + cost <= limit ? 0 : length - elapsed(now);
  }

  @Override
  public void add(long now, long cost) {
    advance(now);
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
}
