package io.penstock.inprocess;

import io.penstock.Store;
import io.penstock.StoreContract;
import io.penstock.testing.ManualClock;
import java.time.Duration;

class InProcessStoreTest extends StoreContract {
  private final ManualClock clock = new ManualClock();

  @Override
  protected Store store() {
    return InProcessStore.builder().clock(clock).build();
  }

  @Override
  protected void advance(Duration by) {
    clock.advance(by);
  }

  @Override
  protected Duration tick() {
    return Duration.ofNanos(1);
  }
}
