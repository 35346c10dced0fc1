package io.penstock.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * A bounded queue that a dedicated thread writes in batches. Thread-safe. Callers never wait: an
 * element that finds the queue full is dropped and counted, as is a batch that can't be written.
 */
final class BackgroundWriter<E> {
  private static final int MAX_BATCH = 256;
  private static final long POLL_MILLIS = 200;

  private final RepeatedWarning warning =
      new RepeatedWarning(LoggerFactory.getLogger(BackgroundWriter.class));
  private final BlockingQueue<E> queue;
  private final LongAdder dropped;
  private final Consumer<List<E>> write;
  private final Thread thread;
  private volatile boolean stopping;

  /**
   * @param capacity the max number of queued elements
   * @param dropped counts dropped elements
   * @param write writes a batch, on the thread of this writer
   */
  BackgroundWriter(String threadName, int capacity, LongAdder dropped, Consumer<List<E>> write) {
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.dropped = dropped;
    this.write = write;
    this.thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Queues an element, or drops it if the queue is full. */
  void offer(E element) {
    if (!queue.offer(element)) {
      dropped.increment();
    }
  }

  boolean isHalfEmpty() {
    return queue.size() <= queue.remainingCapacity();
  }

  private void run() {
    List<E> batch = new ArrayList<>(MAX_BATCH);
    try {
      while (!stopping || !queue.isEmpty()) {
        E first = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (first != null) {
          batch.add(first);
          queue.drainTo(batch, MAX_BATCH - 1);
          write(batch);
          batch.clear();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Later batches are written even if there is a defect that prevents this one. */
  private void write(List<E> batch) {
    try {
      write.accept(batch);
    } catch (RuntimeException e) {
      dropped.add(batch.size());
      warning.warn(
          "Cannot write a batch of the thread "
              + thread.getName()
              + ", which is dropped ("
              + RepeatedWarning.originOf(e)
              + ")");
    }
  }

  /** Writes the queued elements; returns false if that takes longer than {@code maxMillis}. */
  boolean stop(long maxMillis) {
    stopping = true;
    try {
      thread.join(maxMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
