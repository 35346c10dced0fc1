package io.penstock.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.HttpServerConnection;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Answers and closes a connection whose client does not come to the end of a request's headers, or
 * sends a body that is broken, or does nothing for long. Belongs to one connection. Time-outs of
 * Vert.x see only clients that send nothing at all: one byte now and then keeps a connection for
 * ever. And broken bodies it leaves without an answer.
 *
 * <p>It begins as the first handler of a connection, where there is no HTTP yet, and the clock runs
 * from the start. When Vert.x has told what the client speaks, {@link #attach} puts it behind the
 * decoder, where it sees requests begin and end.
 *
 * <p>Vert.x tells it with the first head, unless there is TLS. So it looks for folded lines in that
 * head itself, and puts a decoder in place that does so for all others as soon as the one that is
 * there has read a whole request.
 */
final class ConnectionGuard extends ChannelDuplexHandler {
  private static final byte[] TOO_SLOW = answer("408 Request Timeout");
  private static final byte[] BROKEN = answer("400 Bad Request");

  private static final String DECODER = "httpDecoder";

  private final long millis;
  private @Nullable HeadScan firstHead = new HeadScan();
  private boolean sawBytes;
  private @Nullable HttpServerOptions strictNext;
  private @Nullable Future<?> deadline;
  private boolean attached;
  private boolean withinRequest;
  private boolean sawRequest;
  private boolean withinResponse;

  /** How many requests have begun whose answers have not ended. */
  private int owed;

  /** Whether bytes of a next head came while an answer was owed. */
  private boolean headWaits;

  private @Nullable IdleCheck idle;

  ConnectionGuard(long millis) {
    this.millis = millis;
  }

  private static byte[] answer(String status) {
    return ("HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        .getBytes(US_ASCII);
  }

  /** To be called for each connection that a server tells of. */
  static void attach(HttpConnection connection, HttpServerOptions options) {
    ChannelHandlerContext http = ((HttpServerConnection) connection).channelHandlerContext();
    ConnectionGuard own = http.pipeline().get(ConnectionGuard.class);
    if (own == null) {
      return;
    }
    own.stop();
    http.pipeline().remove(own);
    if (http.handler() instanceof Http2ConnectionHandler) {
      return;
    }
    ConnectionGuard next = new ConnectionGuard(own.millis);
    next.attached = true;
    next.firstHead = null;
    if (own.sawBytes) {
      // The head that made Vert.x tell of the connection is on its way through the pipeline.
      next.strictNext = options;
    } else {
      http.pipeline().replace(DECODER, DECODER, new StrictRequestDecoder(options));
    }
    http.pipeline().addBefore(http.name(), "guard", next);
    next.idle = IdleCheck.takeOver(http.pipeline().context(next));
  }

  /** Whether there is a folded line in the first head of a connection. */
  private boolean isFolded(ChannelHandlerContext connection, Object message) {
    if (!sawBytes && connection.pipeline().get(SslHandler.class) != null) {
      firstHead = null;
    }
    if (firstHead == null || !(message instanceof ByteBuf bytes)) {
      return false;
    }
    sawBytes = true;
    return firstHead.finds(bytes, bytes.readerIndex(), bytes.writerIndex());
  }

  private void beStrict(ChannelHandlerContext connection, HttpServerOptions options) {
    strictNext = null;
    if (connection.pipeline().get(DECODER) != null) {
      connection.pipeline().replace(DECODER, DECODER, new StrictRequestDecoder(options));
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext connection) {
    if (!attached) {
      start(connection);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext connection, Object message) {
    if (message == LastHttpContent.EMPTY_LAST_CONTENT) {
      // The end of nearly every request: what follows would only find that out slowly.
      withinRequest = false;
      sawRequest = true;
      connection.fireChannelRead(message);
      if (strictNext != null) {
        beStrict(connection, strictNext);
      }
      return;
    }
    if (message instanceof HttpRequest request && request.decoderResult().isSuccess()) {
      begin();
      connection.fireChannelRead(message);
      return;
    }
    if (message instanceof HttpContent body
        && !(message instanceof HttpMessage)
        && body.decoderResult().isFailure()) {
      ReferenceCountUtil.release(message);
      end(connection, BROKEN);
      return;
    }
    if (!attached && isFolded(connection, message)) {
      ReferenceCountUtil.release(message);
      end(connection, BROKEN);
      return;
    }
    if (message instanceof HttpRequest) {
      begin();
    }
    if (message instanceof HttpObject) {
      withinRequest = !(message instanceof LastHttpContent);
      sawRequest = true;
      stop();
    }
    connection.fireChannelRead(message);
    if (strictNext != null && message instanceof LastHttpContent) {
      beStrict(connection, strictNext);
    }
  }

  /** A head was read. */
  private void begin() {
    withinRequest = true;
    sawRequest = true;
    headWaits = false;
    owed++;
    stop();
  }

  /**
   * Bytes came. If no request did, they are the beginning of one. Its time begins when all others
   * are answered: a client may send it early, and what it waits for may take long.
   */
  @Override
  public void channelReadComplete(ChannelHandlerContext connection) {
    if (attached && !sawRequest && !withinRequest && deadline == null) {
      if (owed > 0) {
        headWaits = true;
      } else {
        beginHead(connection);
      }
    }
    sawRequest = false;
    moved();
    connection.fireChannelReadComplete();
  }

  @Override
  public void write(ChannelHandlerContext connection, Object message, ChannelPromise promise) {
    if (message == LastHttpContent.EMPTY_LAST_CONTENT) {
      responded(connection);
    } else if (message instanceof FullHttpResponse whole) {
      if (!isInterim(whole.status().code())) {
        responded(connection);
      }
    } else if (message instanceof LastHttpContent) {
      responded(connection);
    } else {
      withinResponse = true;
    }
    moved();
    var unused = connection.write(message, promise);
  }

  /** Whether a status only says that the answer is still to come. */
  private static boolean isInterim(int status) {
    return status < 200 && status != 101;
  }

  private void responded(ChannelHandlerContext connection) {
    withinResponse = false;
    if (owed > 0) {
      owed--;
    }
    if (owed == 0 && headWaits) {
      headWaits = false;
      beginHead(connection);
    }
  }

  private void moved() {
    if (idle != null) {
      idle.moved();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext connection) {
    stop();
    connection.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext connection) {
    if (idle != null) {
      idle.stop();
    }
  }

  private void beginHead(ChannelHandlerContext connection) {
    if (connection.pipeline().get(DECODER) != null) {
      start(connection);
    } else {
      // The connection has gone over to another protocol.
      attached = false;
    }
  }

  private void start(ChannelHandlerContext connection) {
    deadline =
        connection
            .executor()
            .schedule(() -> end(connection, TOO_SLOW), millis, TimeUnit.MILLISECONDS);
  }

  private void stop() {
    if (deadline != null) {
      deadline.cancel(false);
      deadline = null;
    }
  }

  private void end(ChannelHandlerContext connection, byte[] answer) {
    boolean next = !withinResponse && owed == (withinRequest ? 1 : 0);
    if (!next || connection.pipeline().get(SslHandler.class) != null) {
      // What would be written here is no part of what the client is reading, or would be taken for
      // the answer to another request.
      var unused = connection.close();
      return;
    }
    connection.pipeline().addFirst(new LingeringClose());
    connection
        .pipeline()
        .firstContext()
        .writeAndFlush(Unpooled.wrappedBuffer(answer))
        .addListener(ChannelFutureListener.CLOSE);
  }
}
