package io.penstock.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Passes the bytes of a connection that switches to another protocol to the new handler of Vert.x,
 * however early they arrive. Vert.x removes its decoder, which passes on the bytes that it holds,
 * before it replaces the old handler, which drops them. Confined to the event loop of the
 * connection.
 */
final class TunnelStart {
  private final ChannelHandlerContext guard;
  private final ChannelHandlerContext http;
  private final Queue<ByteBuf> early = new ArrayDeque<>();

  /**
   * @param guard the handler in front of that of Vert.x
   * @param http the handler of Vert.x for HTTP
   */
  TunnelStart(ChannelHandlerContext guard, ChannelHandlerContext http) {
    this.guard = guard;
    this.http = http;
  }

  /** Passes bytes on, now or when the new handler is ready. */
  void read(ByteBuf bytes) {
    if (http.isRemoved() && early.isEmpty()) {
      guard.fireChannelRead(bytes);
      return;
    }
    early.add(bytes);
    if (early.size() == 1) {
      // Vert.x replaces its handler, and the proxy sets up the tunnel, within the current task.
      guard.executor().execute(this::flush);
    }
  }

  /** Passes on the bytes that arrived early. */
  void flush() {
    if (early.isEmpty()) {
      return;
    }
    for (ByteBuf bytes = early.poll(); bytes != null; bytes = early.poll()) {
      guard.fireChannelRead(bytes);
    }
    guard.fireChannelReadComplete();
  }

  /** Releases bytes that were not passed on. */
  void release() {
    early.forEach(ByteBuf::release);
    early.clear();
  }
}
