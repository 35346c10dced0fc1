package io.penstock.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.server.log.AccessFormat;
import io.penstock.server.log.AccessLog;
import io.penstock.server.log.AccessLog.Destination;
import java.io.IOException;
import java.util.Optional;

/** Opens the access log according to the settings. */
final class AccessLogFactory {
  private AccessLogFactory() {}

  static Optional<AccessLog> open(Settings settings, MeterRegistry registry) {
    Optional<AccessLog> log =
        settings.upstream().isPresent()
            ? settings.accessLog().map(format -> open(format, settings))
            : Optional.empty();
    log.ifPresent(
        opened ->
            FunctionCounter.builder("penstock.access.log.dropped", opened, AccessLog::dropped)
                .description("Dropped access log lines")
                .register(registry));
    return log;
  }

  private static AccessLog open(AccessFormat format, Settings settings) {
    try {
      return new AccessLog(
          format,
          settings.accessLogFile().map(Destination::file).orElseGet(Destination::standardOutput));
    } catch (IOException e) {
      throw StartException.unwritable(Setting.ACCESS_LOG_FILE, e);
    }
  }
}
