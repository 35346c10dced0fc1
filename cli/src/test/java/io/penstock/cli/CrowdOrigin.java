package io.penstock.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * An origin for many: {@code /endless} goes on for as long as somebody reads, everything else is
 * answered {@code ok}. One thread serves them all.
 */
final class CrowdOrigin implements AutoCloseable {
  private static final byte[] OK = ascii("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  private static final byte[] ENDLESS =
      ascii("HTTP/1.1 200 OK\r\nContent-Length: " + (1L << 50) + "\r\n\r\n");
  private static final int PART_BYTES = 1 << 14;
  private static final int SMALL_BYTES = 128 << 10;

  private final Selector selector = Selector.open();
  private final ServerSocketChannel server = ServerSocketChannel.open();

  /** One connection: what it has asked, and what it still has to be sent. */
  private static final class Visitor {
    private final StringBuilder head = new StringBuilder();
    private ByteBuffer answer = ByteBuffer.allocate(0);
    private boolean endless;
  }

  CrowdOrigin() throws IOException {
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4_096);
    server.configureBlocking(false);
    server.register(selector, SelectionKey.OP_ACCEPT);
    Thread serving = new Thread(this::serve, "crowd-origin");
    serving.setDaemon(true);
    serving.start();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  String url() {
    return "http://127.0.0.1:" + server.socket().getLocalPort();
  }

  private void serve() {
    try {
      while (selector.isOpen()) {
        selector.select(this::serve);
      }
    } catch (IOException | ClosedSelectorException ended) {
      // Nobody is served any more.
    }
  }

  private void serve(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        SocketChannel accepted = server.accept();
        accepted.configureBlocking(false);
        accepted.setOption(StandardSocketOptions.SO_SNDBUF, SMALL_BYTES);
        accepted.register(selector, SelectionKey.OP_READ, new Visitor());
      } else if (key.isReadable()) {
        read(key, (Visitor) key.attachment());
      } else {
        write(key, (Visitor) key.attachment());
      }
    } catch (IOException gone) {
      leave(key);
    }
  }

  private static void read(SelectionKey key, Visitor visitor) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(PART_BYTES);
    if (((SocketChannel) key.channel()).read(bytes) < 0) {
      leave(key);
      return;
    }
    visitor.head.append(US_ASCII.decode(bytes.flip()));
    if (visitor.head.indexOf("\r\n\r\n") >= 0) {
      visitor.endless = visitor.head.indexOf("GET /endless") == 0;
      visitor.head.setLength(0);
      visitor.answer = ByteBuffer.wrap(visitor.endless ? ENDLESS : OK);
      write(key, visitor);
    }
  }

  private static void write(SelectionKey key, Visitor visitor) throws IOException {
    SocketChannel channel = (SocketChannel) key.channel();
    channel.write(visitor.answer);
    if (!visitor.answer.hasRemaining() && visitor.endless) {
      visitor.answer = ByteBuffer.allocate(PART_BYTES);
    }
    key.interestOps(visitor.answer.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
  }

  private static void leave(SelectionKey key) {
    try {
      key.channel().close();
    } catch (IOException closed) {
      // It is gone either way.
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      leave(key);
    }
    selector.close();
  }
}
