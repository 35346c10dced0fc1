package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import io.penstock.server.PolicyHolder;
import io.penstock.server.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** A reload of everything, as by SIGHUP. */
final class ReloadTest {
  @TempDir private Path folder;

  @Test
  void reload_stepThatThrows_theOthersRun() throws Exception {
    Path log = folder.resolve("access.log");
    LoggerContext loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
    Throwing throwing = new Throwing();
    try (LoggedWarnings warnings = new LoggedWarnings();
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                "http://127.0.0.1:1",
                Map.of(Setting.ACCESS_LOG, "json", Setting.ACCESS_LOG_FILE, log.toString()))) {
      Files.move(log, folder.resolve("access.log.1"));
      loggers.addTurboFilter(throwing);
      try {
        proxy.server().server().reload();
      } finally {
        loggers.getTurboFilterList().remove(throwing);
      }

      assertThat(warnings.messages()).contains("reload of the policy failed");
      assertThat(warnings.stackTraces()).containsExactly("reload of the policy failed");
      proxy.raw("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      await("the new file").until(() -> Files.exists(log));
    }
  }

  /** Makes every use of the logger of the policy throw. */
  private static final class Throwing extends TurboFilter {
    @Override
    public FilterReply decide(
        Marker marker,
        Logger logger,
        Level level,
        String format,
        Object[] arguments,
        Throwable cause) {
      if (logger.getName().equals(PolicyHolder.class.getName())) {
        throw new IllegalStateException("logger");
      }
      return FilterReply.NEUTRAL;
    }
  }
}
