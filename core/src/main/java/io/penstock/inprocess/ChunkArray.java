package io.penstock.inprocess;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The chunks of one table, in segments that are made when the first chunk is put into them, so that
 * a table without keys takes little memory. Thread-safe; a chunk is replaced under its lock only.
 */
final class ChunkArray {
  private static final VarHandle SEGMENTS = MethodHandles.arrayElementVarHandle(Chunk[][].class);
  private static final VarHandle CHUNKS = MethodHandles.arrayElementVarHandle(Chunk[].class);

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
  private final Chunk[][] segments;

  /** An array of {@code length} chunks, all of them {@code none}. */
  ChunkArray(int length, Chunk none) {
    this.length = length;
    this.none = none;
    // As many segments as chunks in a segment, or nearly.
    this.shift = (Integer.SIZE - Integer.numberOfLeadingZeros(length - 1)) / 2;
    this.segments = new Chunk[((length - 1) >>> shift) + 1][];
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
    Chunk[] segment = (Chunk[]) SEGMENTS.getAcquire(segments, index >>> shift);
    return segment == null ? none : (Chunk) CHUNKS.getAcquire(segment, index & ((1 << shift) - 1));
  }

  void set(int index, Chunk chunk) {
    Chunk[] segment = (Chunk[]) SEGMENTS.getAcquire(segments, index >>> shift);
    if (segment == null) {
      Chunk[] fresh = new Chunk[1 << shift];
      Arrays.fill(fresh, none);
      Chunk[] first =
          (Chunk[]) SEGMENTS.compareAndExchange(segments, index >>> shift, (Chunk[]) null, fresh);
      segment = first == null ? fresh : first;
    }
    CHUNKS.setRelease(segment, index & ((1 << shift) - 1), chunk);
  }
}
