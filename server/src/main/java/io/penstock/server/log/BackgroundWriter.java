package io.penstock.server.log;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A bounded queue that a dedicated thread writes in batches. Thread-safe. Callers never wait: an
 * element that finds the queue full is rejected.
 */
final class BackgroundWriter<E> {
  private static final int MAX_BATCH = 256;
  private static final long POLL_MILLIS = 200;

  private final BlockingQueue<E> queue;
  private final Consumer<List<E>> write;
  private final Thread thread;
  private volatile boolean stopping;

  /**
   * @param capacity the max number of queued elements
   * @param write writes a batch, on the thread of this writer
   */
  BackgroundWriter(String threadName, int capacity, Consumer<List<E>> write) {
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.write = write;
    this.thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Queues an element; returns false if the queue is full. */
  boolean offer(E element) {
    return queue.offer(element);
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
          write.accept(batch);
          batch.clear();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
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
