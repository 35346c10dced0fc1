package io.penstock.inprocess;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one table, in segments that are made when the first chunk is put into them, so that
 * a table without keys takes little memory. Thread-safe; a chunk is replaced under its lock only.
 */
final class ChunkArray {
  /** For all tables of the process: a lock of its own for each chunk would be most of a table. */
  private static final ReentrantLock[] LOCKS = new ReentrantLock[256];

  static {
    for (int i = 0; i < LOCKS.length; i++) {
      LOCKS[i] = new ReentrantLock();
    }
  }

  private final int length;
  private final int shift;
  private final Chunk none;
  private final AtomicReferenceArray<@Nullable AtomicReferenceArray<Chunk>> segments;

  /** An array of {@code length} chunks, all of them {@code none}. */
  ChunkArray(int length, Chunk none) {
    this.length = length;
    this.none = none;
    // As many segments as chunks in a segment, or nearly.
    this.shift = (Integer.SIZE - Integer.numberOfLeadingZeros(length - 1)) / 2;
    this.segments = new AtomicReferenceArray<>(((length - 1) >>> shift) + 1);
  }

  /** The lock of a chunk, which others may share; {@code order} is the number of the table. */
  static ReentrantLock lock(long order, int index) {
    return LOCKS[(int) ((order * 31 + index) & (LOCKS.length - 1))];
  }

  int length() {
    return length;
  }

  Chunk none() {
    return none;
  }

  Chunk get(int index) {
    AtomicReferenceArray<Chunk> segment = segments.getAcquire(index >>> shift);
    return segment == null ? none : segment.getAcquire(index & ((1 << shift) - 1));
  }

  void set(int index, Chunk chunk) {
    AtomicReferenceArray<Chunk> segment = segments.getAcquire(index >>> shift);
    if (segment == null) {
      AtomicReferenceArray<Chunk> fresh = new AtomicReferenceArray<>(1 << shift);
      for (int i = 0; i < fresh.length(); i++) {
        fresh.setPlain(i, none);
      }
      segment = segments.compareAndExchange(index >>> shift, null, fresh);
      segment = segment == null ? fresh : segment;
    }
    segment.setRelease(index & ((1 << shift) - 1), chunk);
  }
}
