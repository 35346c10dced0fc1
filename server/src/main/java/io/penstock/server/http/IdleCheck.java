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
 * Reports an idle connection to Vert.x, up to a quarter of the timeout late. Confined to the event
 * loop of the connection.
 *
 * <p>It replaces the handler of Vert.x, which reads the clock at every read and at every write.
 * This one costs two flags per request.
 */
final class IdleCheck implements Runnable {
  private static final int CHECKS_PER_TIMEOUT = 4;

  private final ChannelHandlerContext connection;
  private final Future<?> timer;
  private boolean touched;
  private int idleChecks;
  private long pendingBytes;

  private IdleCheck(ChannelHandlerContext connection, long idleMillis) {
    this.connection = connection;
    long periodMillis = Math.max(1, idleMillis / CHECKS_PER_TIMEOUT);
    this.timer =
        connection
            .executor()
            .scheduleAtFixedRate(this, periodMillis, periodMillis, TimeUnit.MILLISECONDS);
  }

  /** Replaces the idle handler of Vert.x; returns null if there is none. */
  static @Nullable IdleCheck takeOver(ChannelHandlerContext connection) {
    ChannelPipeline pipeline = connection.pipeline();
    IdleStateHandler original = pipeline.get(IdleStateHandler.class);
    if (original == null) {
      return null;
    }
    pipeline.remove(original);
    return new IdleCheck(connection, original.getAllIdleTimeInMillis());
  }

  /** Records activity: something was read, or will be written. */
  void touched() {
    touched = true;
  }

  void stop() {
    timer.cancel(false);
  }

  @Override
  public void run() {
    idleChecks = touched || outputProgressed() ? 0 : idleChecks + 1;
    touched = false;
    if (idleChecks == CHECKS_PER_TIMEOUT) {
      idleChecks = 0;
      connection.fireUserEventTriggered(IdleStateEvent.ALL_IDLE_STATE_EVENT);
    }
  }

  /** Returns whether the client has read some of the pending output. */
  private boolean outputProgressed() {
    ChannelOutboundBuffer buffer = connection.channel().unsafe().outboundBuffer();
    long pending = buffer == null ? 0 : buffer.totalPendingWriteBytes();
    boolean changed = pending != pendingBytes;
    pendingBytes = pending;
    return changed;
  }
}
