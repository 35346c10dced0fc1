package io.penstock.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells Vert.x when nothing has moved on a connection for its idle time, up to a quarter late. Used
 * by the connection's event loop alone.
 *
 * <p>It takes the place of the handler that Vert.x puts there, which reads the clock at every read
 * and again at every write, and is asked at each of both. This one costs a request two flags.
 */
final class IdleCheck implements Runnable {
  private static final int CHECKS = 4;

  private final ChannelHandlerContext connection;
  private final Future<?> timer;
  private boolean moved;
  private int stood;
  private long waitingBytes;

  private IdleCheck(ChannelHandlerContext connection, long idleMillis) {
    this.connection = connection;
    long every = Math.max(1, idleMillis / CHECKS);
    this.timer =
        connection.executor().scheduleAtFixedRate(this, every, every, TimeUnit.MILLISECONDS);
  }

  /** Takes over from what Vert.x has put there; null if there is nothing. */
  static @Nullable IdleCheck takeOver(ChannelHandlerContext connection) {
    ChannelPipeline pipeline = connection.pipeline();
    IdleStateHandler theirs = pipeline.get(IdleStateHandler.class);
    if (theirs == null) {
      return null;
    }
    pipeline.remove(theirs);
    return new IdleCheck(connection, theirs.getAllIdleTimeInMillis());
  }

  /** Something was read, or is to be written. */
  void moved() {
    moved = true;
  }

  void stop() {
    timer.cancel(false);
  }

  @Override
  public void run() {
    stood = moved || writes() ? 0 : stood + 1;
    moved = false;
    if (stood == CHECKS) {
      stood = 0;
      connection.fireUserEventTriggered(IdleStateEvent.ALL_IDLE_STATE_EVENT);
    }
  }

  /** Whether the client has taken some of what waits for it. */
  private boolean writes() {
    ChannelOutboundBuffer buffer = connection.channel().unsafe().outboundBuffer();
    long waiting = buffer == null ? 0 : buffer.totalPendingWriteBytes();
    boolean changed = waiting != waitingBytes;
    waitingBytes = waiting;
    return changed;
  }
}
