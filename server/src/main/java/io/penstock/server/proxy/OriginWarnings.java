package io.penstock.server.proxy;

import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.penstock.server.log.RepeatedWarning;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs that the origin is unreachable or violates the protocol, each kind of error at most once a
 * minute. An origin that closes connections or resets streams is not logged. Thread-safe.
 */
final class OriginWarnings {
  private static final Logger LOG = LoggerFactory.getLogger(OriginWarnings.class);

  /** Errors of a stream that an origin causes by violating HTTP/2. */
  private static final Set<Http2Error> VIOLATIONS =
      EnumSet.of(
          Http2Error.PROTOCOL_ERROR,
          Http2Error.FLOW_CONTROL_ERROR,
          Http2Error.FRAME_SIZE_ERROR,
          Http2Error.COMPRESSION_ERROR);

  private static final Pattern SYSTEM_CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

  private final RepeatedWarning unreachable = new RepeatedWarning(LOG);
  private final RepeatedWarning surplus = new RepeatedWarning(LOG);
  private final RepeatedWarning invalidResponses = new RepeatedWarning(LOG);
  private final RepeatedWarning headerLists = new RepeatedWarning(LOG);
  private final RepeatedWarning settings = new RepeatedWarning(LOG);

  /** Called when no connection can be established. */
  void unreachable(Upstream upstream, Throwable failure) {
    unreachable.warn(
        "Cannot connect to the origin at "
            + upstream.origin()
            + " ("
            + reason(failure)
            + "); clients get 502");
  }

  /** Returns the reason without the name and number of the failed system call. */
  private static String reason(Throwable failure) {
    String message = failure.getMessage();
    return message == null ? failure.toString() : SYSTEM_CALL.matcher(message).replaceFirst("");
  }

  /** Called when connecting takes too long. */
  void connectTimedOut(Upstream upstream) {
    unreachable.warn(
        "Cannot connect to the origin at " + upstream.origin() + " in time; clients get 504");
  }

  /** Called when bytes arrive that belong to no response. */
  void surplus() {
    surplus.warn(
        "The origin sent bytes that belong to no response; its connection or stream is closed");
  }

  /** Called when an origin sends no SETTINGS on an HTTP/2 connection. */
  void noSettings(Duration timeout) {
    settings.warn(
        "The origin accepted a connection but sent no HTTP/2 SETTINGS within "
            + timeout.toMillis()
            + " ms; the connection is closed and the client gets 504");
  }

  /** Called when a connection fails, with all its exchanges. */
  void connectionFailed(Throwable failure) {
    if (failure instanceof IOException) {
      LOG.debug("connection to the origin failed", failure);
    } else {
      invalidResponse(failure);
    }
  }

  /** Called when an exchange fails, also if its connection does. */
  void exchangeFailed(Throwable failure) {
    if (failure instanceof Http2Exception.HeaderListSizeException tooLarge
        && !tooLarge.duringDecode()) {
      headerLists.warn(
          "The headers of a request exceed what the origin allows (SETTINGS_MAX_HEADER_LIST_SIZE);"
              + " the client gets 502: "
              + failure.getMessage());
    } else if (failure instanceof Http2Exception.StreamException stream
        && VIOLATIONS.contains(stream.error())) {
      invalidResponse(failure);
    } else {
      LOG.debug("exchange with the origin failed", failure);
    }
  }

  private void invalidResponse(Throwable failure) {
    invalidResponses.warn(
        "Invalid response from the origin; the client gets 502, or an incomplete response if it has"
            + " started: "
            + failure.getMessage());
  }
}
