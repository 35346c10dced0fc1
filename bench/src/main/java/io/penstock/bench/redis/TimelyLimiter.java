package io.penstock.bench.redis;

/** Only what is answered in time counts. */
record TimelyLimiter(SharedLimiter limiter, long untilEpochMillis) implements SharedLimiter {
  @Override
  public boolean tryAcquire(String key) throws GaveUpException {
    boolean allowed = limiter.tryAcquire(key);
    if (System.currentTimeMillis() > untilEpochMillis) {
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
