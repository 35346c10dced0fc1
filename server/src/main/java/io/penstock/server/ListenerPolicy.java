package io.penstock.server;

import io.penstock.server.http.TrustedHosts;
import io.penstock.server.tls.OrderedCiphers;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The limits on untrusted input that all listeners share. */
final class ListenerPolicy {
  static final int MAX_BODY_BYTES = 64 << 10;

  private static final int MAX_HEADER_BYTES = 16 << 10;
  private static final int MAX_LINE_BYTES = 8 << 10;
  private static final int IDLE_TIMEOUT_SECONDS = 60;
  private static final int MAX_STREAMS = 100;
  private static final int MAX_RESETS = 100;
  private static final int RESET_WINDOW_SECONDS = 30;
  private static final int ENVOY_IDLE_TIMEOUT_SECONDS = 65 * 60;
  private static final int MAX_ENVOY_STREAMS = 1_000;
  private static final int MAX_ENVOY_RESETS = 10_000;
  private static final int BACKLOG = 4_096;

  private ListenerPolicy() {}

  /**
   * Returns the options of the proxy listener, which accepts bodies of any size, and TLS if
   * configured.
   */
  static HttpServerOptions proxyOptions(Settings settings, Optional<ServerSSLOptions> tls) {
    HttpServerOptions options = options(settings.proxyHost(), settings.proxyPort());
    tls.ifPresent(ssl -> secure(options, ssl));
    return options;
  }

  private static void secure(HttpServerOptions options, ServerSSLOptions ssl) {
    options
        .setSsl(true)
        .setSslEngineOptions(new OrderedCiphers(ssl.getEnabledCipherSuites()))
        .setUseAlpn(ssl.isUseAlpn())
        .setKeyCertOptions(ssl.getKeyCertOptions())
        .setTrustOptions(ssl.getTrustOptions())
        .setClientAuth(ssl.getClientAuth())
        .setEnabledSecureTransportProtocols(ssl.getEnabledSecureTransportProtocols());
    ssl.getEnabledCipherSuites().forEach(options::addEnabledCipherSuite);
  }

  /**
   * Returns the options of the listener for Envoy. Envoy has few connections with many streams, and
   * resets each stream that it no longer waits for. It closes idle connections after an hour, and
   * should be the one that does. TLS is used if configured.
   */
  static HttpServerOptions envoyOptions(Settings settings, Optional<ServerSSLOptions> tls) {
    HttpServerOptions options =
        options(settings.envoyHost(), settings.envoyPort())
            .setIdleTimeout(ENVOY_IDLE_TIMEOUT_SECONDS)
            .setHttp2RstFloodMaxRstFramePerWindow(MAX_ENVOY_RESETS);
    options.getInitialSettings().setMaxConcurrentStreams(MAX_ENVOY_STREAMS);
    tls.ifPresent(ssl -> secure(options, ssl));
    return options;
  }

  /**
   * Returns the hosts that requests without a token may use; null to accept any. Beyond loopback,
   * only the operator knows the names that probes and collectors use, so that nothing is checked
   * unless {@code admin_hosts} lists them. By DNS rebinding, a web page can then read what needs no
   * token, such as metrics, through any browser that can reach the listener.
   */
  static @Nullable TrustedHosts trustedHosts(Settings settings) {
    return SettingCheck.isLoopback(settings.adminHost()) || !settings.adminHosts().isEmpty()
        ? new TrustedHosts(settings.adminHost(), settings.adminHosts())
        : null;
  }

  static HttpServerOptions options(String host, int port) {
    return new HttpServerOptions()
        .setHost(host)
        .setPort(port)
        .setAcceptBacklog(BACKLOG)
        .setMaxInitialLineLength(MAX_LINE_BYTES)
        .setMaxHeaderSize(MAX_HEADER_BYTES)
        .setIdleTimeout(IDLE_TIMEOUT_SECONDS)
        .setIdleTimeoutUnit(TimeUnit.SECONDS)
        // No listener terminates WebSockets, so no request has to be checked for extensions.
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setInitialSettings(
            new Http2Settings()
                .setMaxConcurrentStreams(MAX_STREAMS)
                .setMaxHeaderListSize(MAX_HEADER_BYTES))
        .setHttp2RstFloodMaxRstFramePerWindow(MAX_RESETS)
        .setHttp2RstFloodWindowDuration(RESET_WINDOW_SECONDS)
        .setHttp2RstFloodWindowDurationTimeUnit(TimeUnit.SECONDS);
  }
}
