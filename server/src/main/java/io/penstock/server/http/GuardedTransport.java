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
 * A transport whose servers show every connection to their {@link Connections} when it is accepted,
 * which is before Vert.x tells anybody of it. Everything else is as before. Thread-safe.
 */
@SuppressWarnings("deprecation") // What is deprecated here is passed on, not used.
public final class GuardedTransport implements io.vertx.core.transport.Transport, Transport {
  private static final AttributeKey<Connections> CONNECTIONS =
      AttributeKey.valueOf(Connections.class, "connections");

  private final io.vertx.core.transport.Transport chosen;
  private final Transport transport;
  private final @Nullable Connections ofOthers;
  private final Map<String, Connections> byListener = new ConcurrentHashMap<>();

  /**
   * The fastest transport that this machine has. Each of its servers needs a {@link #guard} before
   * it listens.
   */
  public GuardedTransport() {
    this(null);
  }

  /** With the same bounds for all servers together that have none of their own. */
  GuardedTransport(@Nullable Connections ofOthers) {
    FailedRequests.register();
    io.vertx.core.transport.Transport fast = io.vertx.core.transport.Transport.nativeTransport();
    this.chosen = fast != null && fast.available() ? fast : io.vertx.core.transport.Transport.NIO;
    this.transport = chosen.implementation();
    this.ofOthers = ofOthers;
  }

  /** What may connect to the server that is about to listen as these options say. */
  void guard(NetServerOptions options, Connections connections) {
    byListener.put(place(options), connections);
  }

  private static String place(NetServerOptions options) {
    return options.getHost() + " " + options.getPort();
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    ChannelFactory<? extends ServerChannel> factory = transport.serverChannelFactory(domainSocket);
    return () -> {
      ServerChannel server = factory.newChannel();
      server.pipeline().addLast(new Acceptor());
      return server;
    };
  }

  /** Sees every connection that a server accepts. */
  private static final class Acceptor extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext server) {
      server.channel().attr(CONNECTIONS).get().listens(server.channel());
      server.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext server, Object accepted) {
      Channel connection = (Channel) accepted;
      if (server.channel().attr(CONNECTIONS).get().admit(connection)) {
        server.fireChannelRead(accepted);
      } else {
        connection.unsafe().closeForcibly();
      }
    }
  }

  @Override
  public String name() {
    return chosen.name();
  }

  @Override
  public boolean available() {
    return chosen.available();
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
    return transport.channelFactory(domainSocket);
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
    Connections connections = byListener.getOrDefault(place(options), ofOthers);
    if (connections == null) {
      throw new IllegalStateException("nothing guards the server at " + place(options));
    }
    bootstrap.attr(CONNECTIONS, connections);
    transport.configure(options, domainSocket, bootstrap);
  }
}
