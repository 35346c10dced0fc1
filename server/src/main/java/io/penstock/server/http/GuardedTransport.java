package io.penstock.server.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.util.AttributeKey;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A transport that submits each accepted connection to the {@link Connections} of its listener
 * before Vert.x sees it, and gives each connection to an HTTP/2 server a {@link SettingsTimeout}.
 * Everything else is delegated. Thread-safe.
 */
@SuppressWarnings("deprecation") // Deprecated methods are only delegated.
public final class GuardedTransport implements io.vertx.core.transport.Transport, Transport {
  private static final AttributeKey<GuardedListener> LISTENER =
      AttributeKey.valueOf(GuardedListener.class, "listener");

  private final io.vertx.core.transport.Transport delegate;
  private final Transport transport;
  private final @Nullable GuardedListener fallback;
  private final Map<String, GuardedListener> byAddress = new ConcurrentHashMap<>();

  /**
   * Creates the fastest transport that this machine supports. {@link #guard} must be called for
   * each server before it listens.
   */
  public GuardedTransport() {
    this(null);
  }

  /** Creates a transport where all servers without a guard share the given one. */
  GuardedTransport(@Nullable GuardedListener fallback) {
    FailedRequests.register();
    io.vertx.core.transport.Transport nativeTransport =
        io.vertx.core.transport.Transport.nativeTransport();
    this.delegate =
        nativeTransport != null && nativeTransport.available()
            ? nativeTransport
            : io.vertx.core.transport.Transport.NIO;
    this.transport = delegate.implementation();
    this.fallback = fallback;
  }

  /** Guards the server that is about to listen with the options of {@code listener}. */
  void guard(GuardedListener listener) {
    byAddress.put(address(listener.options()), listener);
  }

  /** Stops accepting connections; must be called before Vert.x is closed. */
  public void stopAccepting() {
    byAddress.values().forEach(listener -> listener.connections().stopAccepting());
  }

  private static String address(NetServerOptions options) {
    return options.getHost() + " " + options.getPort();
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    ChannelFactory<? extends ServerChannel> factory = transport.serverChannelFactory(domainSocket);
    return () -> {
      ServerChannel server = factory.newChannel();
      server.pipeline().addLast(new ConnectionInterceptor());
      return server;
    };
  }

  /** Intercepts the connections that a server accepts. */
  private static final class ConnectionInterceptor extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext server) {
      server.channel().attr(LISTENER).get().connections().addServer(server.channel());
      server.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext server, Object accepted) {
      Channel connection = (Channel) accepted;
      GuardedListener listener = server.channel().attr(LISTENER).get();
      if (listener.connections().admit(connection)) {
        connection.pipeline().addLast(new ConnectionGuard(listener));
        server.fireChannelRead(accepted);
      } else {
        connection.unsafe().closeForcibly();
      }
    }
  }

  @Override
  public String name() {
    return delegate.name();
  }

  @Override
  public boolean available() {
    return delegate.available();
  }

  @Override
  public Transport implementation() {
    return this;
  }

  @Override
  public boolean supportsDomainSockets() {
    return transport.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return transport.supportFileRegion();
  }

  @Override
  public boolean isAvailable() {
    return transport.isAvailable();
  }

  @Override
  public @Nullable Throwable unavailabilityCause() {
    return transport.unavailabilityCause();
  }

  @Override
  public java.net.SocketAddress convert(SocketAddress address) {
    return transport.convert(address);
  }

  @Override
  public SocketAddress convert(java.net.SocketAddress address) {
    return transport.convert(address);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return transport.ioHandlerFactory();
  }

  @Override
  public EventLoopGroup eventLoopGroup(
      int type, int threads, ThreadFactory threadFactory, int ioRatio) {
    return transport.eventLoopGroup(type, threads, threadFactory, ioRatio);
  }

  @Override
  public DatagramChannel datagramChannel() {
    return transport.datagramChannel();
  }

  @Override
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return transport.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    ChannelFactory<? extends Channel> factory = transport.channelFactory(domainSocket);
    return () -> {
      Channel connection = factory.newChannel();
      connection.pipeline().addLast(new SettingsTimeout());
      return connection;
    };
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    transport.configure(channel, options);
  }

  @Override
  public void configure(
      ClientOptionsBase options, int timeout, boolean domainSocket, Bootstrap bootstrap) {
    transport.configure(options, timeout, domainSocket, bootstrap);
  }

  @Override
  public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
    GuardedListener listener = byAddress.getOrDefault(address(options), fallback);
    if (listener == null) {
      throw new IllegalStateException("no guard for the server at " + address(options));
    }
    bootstrap.attr(LISTENER, listener);
    transport.configure(options, domainSocket, bootstrap);
  }
}
