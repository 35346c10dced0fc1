package io.penstock.server;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.penstock.server.log.AccessFormat;
import io.penstock.server.log.AccessLog;
import io.penstock.server.log.AccessLog.Destination;
import java.io.IOException;
import java.util.Optional;

/** The access log that settings ask for. */
final class AccessLogFactory {
  private AccessLogFactory() {}

  static Optional<AccessLog> open(Settings settings, MeterRegistry registry) {
    Optional<AccessLog> log =
        settings.upstream().isPresent()
            ? settings.accessLog().map(form -> open(form, settings))
            : Optional.empty();
    log.ifPresent(
        opened ->
            FunctionCounter.builder("penstock.access.log.dropped", opened, AccessLog::dropped)
                .description("Lines of the access log that were lost")
                .register(registry));
    return log;
  }

  private static AccessLog open(AccessFormat form, Settings settings) {
    try {
      return new AccessLog(
          form,
          settings.accessLogFile().map(Destination::file).orElseGet(Destination::standardOutput));
    } catch (IOException e) {
      throw StartException.unwritable(Setting.ACCESS_LOG_FILE, e);
    }
  }
}
