package io.penstock.server.log;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LogQueueTest {
  private static final int CAPACITY = 10;

  private final LoggerContext context = new LoggerContext();
  private final Logger logger = context.getLogger("test");
  private final LongAdder dropped = new LongAdder();
  private final List<Throwable> thrown = new CopyOnWriteArrayList<>();
  private final SlowReader reader = new SlowReader();

  /** An appender that blocks until it is released. */
  private static final class SlowReader extends AppenderBase<ILoggingEvent> {
    final CountDownLatch goes = new CountDownLatch(1);
    final CountDownLatch stuck = new CountDownLatch(1);
    final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      stuck.countDown();
      try {
        goes.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      lines.add(event.getFormattedMessage());
    }
  }

  private LogQueue start(long flushMillis) {
    context.setMDCAdapter(new LogbackMDCAdapter());
    reader.setContext(context);
    reader.start();
    LogQueue queue = new LogQueue(reader, CAPACITY, flushMillis, dropped, thrown::add);
    queue.setContext(context);
    queue.start();
    logger.addAppender(queue);
    logger.setLevel(Level.INFO);
    return queue;
  }

  @Test
  void append_readerStuck_dropsCountsAndReports() throws InterruptedException {
    LogQueue queue = start(60_000);
    logger.info("first");
    reader.stuck.await();
    for (int i = 0; i < CAPACITY + 7; i++) {
      logger.info("line {}", i);
    }
    assertThat(dropped.sum()).isEqualTo(7);

    reader.goes.countDown();

    String report =
        "7 log lines were dropped because the reader of the log was too slow, or because they could"
            + " not be written";
    await().until(() -> reader.lines.contains(report));
    queue.stop();
    assertThat(reader.lines).hasSize(1 + CAPACITY + 1).contains("first", "line 0", "line 9");
  }

  @Test
  void stop_linesQueued_writesThemFirst() {
    LogQueue queue = start(60_000);
    reader.goes.countDown();
    for (int i = 0; i < CAPACITY; i++) {
      logger.info("line {}", i);
    }

    queue.stop();

    assertThat(reader.lines).contains("line 9").hasSize(CAPACITY);
    assertThat(dropped.sum()).isZero();
  }

  @Test
  void stop_readerStuck_returns() throws InterruptedException {
    LogQueue queue = start(10);
    logger.info("first");
    reader.stuck.await();

    queue.stop();

    assertThat(queue.isStarted()).isFalse();
    reader.goes.countDown();
  }

  @Test
  void append_throwable_isShown() {
    LogQueue queue = start(60_000);
    reader.goes.countDown();
    OutOfMemoryError error = new OutOfMemoryError("Java heap space");

    logger.error("it failed", error);

    assertThat(thrown).containsExactly(error);
    queue.stop();
  }
}
