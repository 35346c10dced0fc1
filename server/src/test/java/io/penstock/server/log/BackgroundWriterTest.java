package io.penstock.server.log;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class BackgroundWriterTest {
  private final List<String> written = new CopyOnWriteArrayList<>();
  private final LongAdder dropped = new LongAdder();
  private final BackgroundWriter<String> writer =
      new BackgroundWriter<>("test-writer", 10, dropped, this::write);

  private void write(List<String> batch) {
    if (batch.contains("secret")) {
      throw new IllegalStateException("cannot write secret");
    }
    written.addAll(batch);
  }

  @Test
  void write_throws_dropsTheBatchAndWritesLaterOnes() {
    Logger logger = (Logger) LoggerFactory.getLogger(BackgroundWriter.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.list = new CopyOnWriteArrayList<>();
    log.start();
    logger.addAppender(log);
    try {
      writer.start();
      for (int i = 1; i <= 3; i++) {
        long expected = i;
        writer.offer("secret");
        await().until(() -> dropped.sum() == expected);
      }
      writer.offer("next");
      assertThat(writer.stop(60_000)).isTrue();

      assertThat(written).containsExactly("next");
      assertThat(log.list)
          .singleElement()
          .extracting(ILoggingEvent::getFormattedMessage)
          .asString()
          .contains("test-writer", "java.lang.IllegalStateException at ")
          .doesNotContain("secret");
    } finally {
      logger.detachAppender(log);
    }
  }
}
