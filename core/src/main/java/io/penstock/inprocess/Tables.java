package io.penstock.inprocess;

import io.penstock.algorithm.Pace;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The tables behind one name of a store, made when they are first asked for. Thread-safe. */
final class Tables {
  private static final AtomicLong ORDER = new AtomicLong();

  private final InProcessStore store;
  private final long order = ORDER.getAndAdd(2);
  private @Nullable BucketTable buckets;
  private @Nullable WindowTable windows;

  Tables(InProcessStore store) {
    this.store = store;
  }

  synchronized BucketTable buckets(Pace pace) {
    if (buckets == null) {
      buckets = store.newBucketTable(pace, order);
    }
    return buckets;
  }

  synchronized WindowTable windows() {
    if (windows == null) {
      windows = store.newWindowTable(order + 1);
    }
    return windows;
  }

  /** The number of its token buckets among all tables; that of its windows is one more. */
  long order() {
    return order;
  }
}
