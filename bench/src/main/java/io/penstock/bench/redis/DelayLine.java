package io.penstock.bench.redis;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * One direction of a relayed connection. Every chunk is written as long after it was read as the
 * hold time at that moment, in order. One thread reads and another writes, so a chunk that is held
 * does not delay reading the next one: the line has a latency, but no bandwidth limit. The end of
 * the stream is delayed like a chunk, and then closes the connection in both directions.
 */
final class DelayLine {
  private static final int CHUNK_BYTES = 1 << 16;

  /**
   * The last part of a hold, for which the writer spins, because a timed wait ends that much later.
   * Short, because the clients and the server need the cores.
   */
  private static final long SPIN_NANOS = 20_000;

  private static final ByteBuffer NO_BYTES = ByteBuffer.allocate(0);

  private final SocketChannel from;
  private final SocketChannel to;
  private final LongSupplier holdNanos;
  private final Queue<Chunk> held = new ConcurrentLinkedQueue<>();
  private final Queue<ByteBuffer> unused = new ConcurrentLinkedQueue<>();
  private final Thread reader;
  private final Thread writer;

  /** Whether the writer waits for a chunk. A writer that holds a chunk is not woken up. */
  private volatile boolean idle;

  private record Chunk(ByteBuffer bytes, long dueNanos) {
    /** Whether this is the end of the stream, which has no bytes. */
    boolean isEnd() {
      return !bytes.hasRemaining();
    }
  }

  /**
   * @param holdNanos the current hold time, read for every chunk
   */
  DelayLine(String name, SocketChannel from, SocketChannel to, LongSupplier holdNanos) {
    this.from = from;
    this.to = to;
    this.holdNanos = holdNanos;
    this.reader = new Thread(this::readAll, "relay-reader-" + name);
    this.writer = new Thread(this::writeAll, "relay-writer-" + name);
    threads().forEach(thread -> thread.setDaemon(true));
  }

  void start() {
    threads().forEach(Thread::start);
  }

  List<Thread> threads() {
    return List.of(reader, writer);
  }

  private void readAll() {
    try {
      while (true) {
        ByteBuffer bytes = unused.poll();
        bytes = bytes == null ? ByteBuffer.allocateDirect(CHUNK_BYTES) : bytes.clear();
        int count = from.read(bytes);
        long now = System.nanoTime();
        if (count < 0) {
          break;
        }
        hold(new Chunk(bytes.flip(), now + holdNanos.getAsLong()));
      }
      hold(new Chunk(NO_BYTES, System.nanoTime() + holdNanos.getAsLong()));
    } catch (IOException reset) {
      hold(new Chunk(NO_BYTES, System.nanoTime()));
    }
  }

  private void hold(Chunk chunk) {
    held.add(chunk);
    if (idle) {
      LockSupport.unpark(writer);
    }
  }

  private void writeAll() {
    try (from;
        to) {
      for (Chunk chunk = next(); !chunk.isEnd(); chunk = next()) {
        while (chunk.bytes.hasRemaining()) {
          to.write(chunk.bytes);
        }
        unused.add(chunk.bytes);
      }
    } catch (IOException reset) {
      // Closed by now, which also ends the other direction.
      held.clear();
    }
  }

  /** Waits until the next chunk is due. */
  private Chunk next() {
    Chunk chunk = held.poll();
    if (chunk == null) {
      idle = true;
      while ((chunk = held.poll()) == null) {
        LockSupport.park(this);
      }
      idle = false;
    }
    long leftNanos;
    while ((leftNanos = chunk.dueNanos - System.nanoTime()) > 0) {
      if (leftNanos > SPIN_NANOS) {
        LockSupport.parkNanos(this, leftNanos - SPIN_NANOS);
      } else {
        Thread.onSpinWait();
      }
    }
    return chunk;
  }
}
