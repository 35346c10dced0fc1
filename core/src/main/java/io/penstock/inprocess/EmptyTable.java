package io.penstock.inprocess;

/** Stands for no table where one is expected. */
final class EmptyTable extends Table {
  EmptyTable() {
    super(null);
  }

  @Override
  long size() {
    return -1;
  }

  @Override
  boolean evict(EvictionGuard spare) {
    return false;
  }

  @Override
  long busyNanos() {
    return 0;
  }

  @Override
  void dropFull() {}
}
