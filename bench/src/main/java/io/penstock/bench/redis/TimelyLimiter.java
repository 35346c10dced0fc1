package io.penstock.bench.redis;

/** Counts only decisions before a deadline. */
record TimelyLimiter(SharedLimiter limiter, long deadlineEpochMillis) implements SharedLimiter {
  @Override
  public boolean tryAcquire(String key) throws GaveUpException {
    boolean allowed = limiter.tryAcquire(key);
    if (System.currentTimeMillis() > deadlineEpochMillis) {
      throw new GaveUpException("late");
    }
    return allowed;
  }

  @Override
  public void expect(int callers) {
    limiter.expect(callers);
  }

  @Override
  public void close() {
    limiter.close();
  }
}
