package io.penstock.server.figures;

import io.penstock.server.log.RepeatedWarning;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;

/** Runs tasks once a second on a thread of its own. Thread-safe. */
public final class FigureSampler implements Executor, AutoCloseable {
  private static final long SECOND_MILLIS = 1_000;
  private static final long CLOSE_TIMEOUT_MILLIS = 1_000;
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(FigureSampler.class));

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "penstock-figures");
            thread.setDaemon(true);
            return thread;
          });
  private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

  /** Adds a task; tasks run in the order in which they were added. */
  public void add(Runnable task) {
    tasks.add(task);
  }

  /** Starts to run the tasks in the middle of each second, so that each run is in another one. */
  public void start() {
    long intoSecond = System.currentTimeMillis() % SECOND_MILLIS;
    long untilMiddle = (SECOND_MILLIS + SECOND_MILLIS / 2 - intoSecond) % SECOND_MILLIS;
    var unused =
        timer.scheduleAtFixedRate(
            () -> tasks.forEach(FigureSampler::run),
            untilMiddle,
            SECOND_MILLIS,
            TimeUnit.MILLISECONDS);
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      WARNING.warn("Cannot collect figures for the admin listener; they are incomplete", e);
    }
  }

  /** Runs a task once; not after {@link #close}. */
  @Override
  public void execute(Runnable task) {
    try {
      timer.execute(() -> run(task));
    } catch (RejectedExecutionException closed) {
      // The figures of a process that shuts down are not needed any more.
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
    try {
      boolean unused = timer.awaitTermination(CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
