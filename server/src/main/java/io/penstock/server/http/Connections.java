package io.penstock.server.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.penstock.server.log.RepeatedWarning;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.LoggerFactory;

/**
 * All connections that clients have to this process: no more than a given number, and none that
 * takes its time to say what it wants. Thread-safe.
 */
public final class Connections {
  private static final RepeatedWarning WARNING =
      new RepeatedWarning(LoggerFactory.getLogger(Connections.class));

  private final int most;
  private final long headMillis;
  private final AtomicInteger open = new AtomicInteger();
  private final LongAdder refused = new LongAdder();

  /**
   * @param headMillis how long a request may take from its first byte to the end of its headers
   */
  public Connections(int most, long headMillis) {
    this.most = most;
    this.headMillis = headMillis;
  }

  /** How many there are now. */
  public int open() {
    return open.get();
  }

  /** How many were closed at once because there were too many. */
  public long refused() {
    return refused.sum();
  }

  /** What a server shows every connection to that it accepts. */
  ChannelHandler acceptor() {
    return new Acceptor();
  }

  private final class Acceptor extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext server, Object accepted) {
      Channel connection = (Channel) accepted;
      if (open.incrementAndGet() > most) {
        open.decrementAndGet();
        refused.increment();
        WARNING.warn("connections are refused: there are " + most + " already");
        connection.unsafe().closeForcibly();
        return;
      }
      connection.closeFuture().addListener(closed -> open.decrementAndGet());
      connection.pipeline().addLast(new ConnectionGuard(headMillis));
      server.fireChannelRead(accepted);
    }
  }
}
