package io.penstock.inprocess;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The segments of one table, in pages that are allocated lazily, so that a table without keys takes
 * little memory. Thread-safe. A segment is replaced only under its lock.
 */
final class SegmentDirectory {
  private static final VarHandle PAGES = MethodHandles.arrayElementVarHandle(Segment[][].class);
  private static final VarHandle SEGMENTS = MethodHandles.arrayElementVarHandle(Segment[].class);

  /**
   * Shared by all tables of the process, because a lock per segment would dominate the size of a
   * table.
   */
  private static final ReentrantLock[] LOCKS = new ReentrantLock[256];

  static {
    for (int i = 0; i < LOCKS.length; i++) {
      LOCKS[i] = new ReentrantLock();
    }
  }

  private final int length;
  private final int shift;
  private final Segment none;
  private final Segment[][] pages;

  /** Creates a directory of {@code length} segments, all of them {@code none}. */
  SegmentDirectory(int length, Segment none) {
    this.length = length;
    this.none = none;
    // About as many pages as segments per page.
    this.shift = (Integer.SIZE - Integer.numberOfLeadingZeros(length - 1)) / 2;
    this.pages = new Segment[((length - 1) >>> shift) + 1][];
  }

  /**
   * Returns the lock of a segment, which other segments may share; {@code tableNumber} is the
   * number of the table.
   */
  static ReentrantLock lock(long tableNumber, int index) {
    return LOCKS[(int) ((tableNumber * 31 + index) & (LOCKS.length - 1))];
  }

  int length() {
    return length;
  }

  Segment none() {
    return none;
  }

  Segment get(int index) {
    Segment[] page = (Segment[]) PAGES.getAcquire(pages, index >>> shift);
    return page == null ? none : (Segment) SEGMENTS.getAcquire(page, index & ((1 << shift) - 1));
  }

  void set(int index, Segment segment) {
    Segment[] page = (Segment[]) PAGES.getAcquire(pages, index >>> shift);
    if (page == null) {
      Segment[] fresh = new Segment[1 << shift];
      Arrays.fill(fresh, none);
      Segment[] first =
          (Segment[]) PAGES.compareAndExchange(pages, index >>> shift, (Segment[]) null, fresh);
      page = first == null ? fresh : first;
    }
    SEGMENTS.setRelease(page, index & ((1 << shift) - 1), segment);
  }
}
