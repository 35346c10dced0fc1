package io.penstock.inprocess;

/** Stands for no table where one is expected. */
final class NoTable extends Table {
  NoTable() {
    super(null);
  }

  @Override
  long size() {
    return -1;
  }

  @Override
  boolean evict(Spare spare) {
    return false;
  }

  @Override
  long busyNanos() {
    return 0;
  }

  @Override
  void dropFull() {}
}
