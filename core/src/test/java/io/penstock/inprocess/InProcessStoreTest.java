package io.penstock.inprocess;

import io.penstock.Store;
import io.penstock.contract.StoreContract;
import io.penstock.testing.ManualClock;
import java.time.Duration;

class InProcessStoreTest extends StoreContract {
  private final ManualClock clock = new ManualClock();

  @Override
  public Store store() {
    return InProcessStore.builder().clock(clock).build();
  }

  @Override
  public void advance(Duration by) {
    clock.advance(by);
  }

  @Override
  public Duration tick() {
    return Duration.ofNanos(1);
  }
}
