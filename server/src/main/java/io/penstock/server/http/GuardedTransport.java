package io.penstock.server.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.transport.Transport;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A transport whose servers know {@link Connections} from the moment they are accepted, which is
 * before Vert.x tells anybody of them. Everything else is as before.
 */
@SuppressWarnings("deprecation") // What is deprecated here is passed on, not used.
public final class GuardedTransport implements io.vertx.core.transport.Transport, Transport {
  private final io.vertx.core.transport.Transport chosen;
  private final Transport transport;
  private final Connections connections;

  /** The fastest transport that this machine has, with servers whose connections are guarded. */
  public GuardedTransport(Connections connections) {
    io.vertx.core.transport.Transport fast = io.vertx.core.transport.Transport.nativeTransport();
    this.chosen = fast != null && fast.available() ? fast : io.vertx.core.transport.Transport.NIO;
    this.transport = chosen.implementation();
    this.connections = connections;
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    ChannelFactory<? extends ServerChannel> factory = transport.serverChannelFactory(domainSocket);
    return () -> {
      ServerChannel server = factory.newChannel();
      server.pipeline().addLast(connections.acceptor());
      return server;
    };
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
    transport.configure(options, domainSocket, bootstrap);
  }
}
