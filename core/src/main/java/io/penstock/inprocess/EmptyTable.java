package io.penstock.inprocess;

/** A placeholder where no table exists. */
final class EmptyTable extends Table {
  EmptyTable() {
    super(null);
  }

  @Override
  long size() {
    return -1;
  }

  @Override
  boolean evict(EvictionPriority upTo) {
    return false;
  }

  @Override
  long busyNanos() {
    return 0;
  }

  @Override
  void dropFull() {}
}
