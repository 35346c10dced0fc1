package io.penstock.server.tls;

import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The JDK's TLS engine with cipher suites in the order of the settings; the server selects the
 * first that the client supports. Vert.x would pass them through a hash set, which loses the order.
 * Immutable.
 */
public final class OrderedCiphers extends JdkSSLEngineOptions {
  private final Set<String> suites;

  /**
   * @param suites all enabled suites, in order of preference
   */
  public OrderedCiphers(Collection<String> suites) {
    this.suites = new LinkedHashSet<>(suites);
  }

  @Override
  public OrderedCiphers copy() {
    return new OrderedCiphers(suites);
  }

  @Override
  public SslContextFactory sslContextFactory() {
    return new DefaultSslContextFactory(SslProvider.JDK, false) {
      @Override
      public SslContextFactory enabledCipherSuites(Set<String> unordered) {
        return super.enabledCipherSuites(suites);
      }
    };
  }
}
