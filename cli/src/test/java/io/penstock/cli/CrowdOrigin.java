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
 * An origin for many connections, served by one thread. {@code /endless} sends data for as long as
 * the client reads; the response to every other path is {@code ok}.
 */
final class CrowdOrigin implements AutoCloseable {
  private static final byte[] OK = ascii("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  private static final byte[] ENDLESS =
      ascii("HTTP/1.1 200 OK\r\nContent-Length: " + (1L << 50) + "\r\n\r\n");
  private static final int BLOCK_BYTES = 1 << 14;
  private static final int SEND_BUFFER_BYTES = 128 << 10;

  private final Selector selector = Selector.open();
  private final ServerSocketChannel server = ServerSocketChannel.open();

  /** The state of a connection: the request so far, and the unsent part of the response. */
  private static final class Connection {
    private final StringBuilder head = new StringBuilder();
    private ByteBuffer response = ByteBuffer.allocate(0);
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
    } catch (IOException | ClosedSelectorException closed) {
      // The origin is closed.
    }
  }

  private void serve(SelectionKey key) {
    try {
      if (key.isAcceptable()) {
        SocketChannel accepted = server.accept();
        accepted.configureBlocking(false);
        accepted.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BUFFER_BYTES);
        accepted.register(selector, SelectionKey.OP_READ, new Connection());
      } else if (key.isReadable()) {
        read(key, (Connection) key.attachment());
      } else {
        write(key, (Connection) key.attachment());
      }
    } catch (IOException e) {
      disconnect(key);
    }
  }

  private static void read(SelectionKey key, Connection connection) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BLOCK_BYTES);
    if (((SocketChannel) key.channel()).read(bytes) < 0) {
      disconnect(key);
      return;
    }
    connection.head.append(US_ASCII.decode(bytes.flip()));
    if (connection.head.indexOf("\r\n\r\n") >= 0) {
      connection.endless = connection.head.indexOf("GET /endless") == 0;
      connection.head.setLength(0);
      connection.response = ByteBuffer.wrap(connection.endless ? ENDLESS : OK);
      write(key, connection);
    }
  }

  private static void write(SelectionKey key, Connection connection) throws IOException {
    SocketChannel channel = (SocketChannel) key.channel();
    channel.write(connection.response);
    if (!connection.response.hasRemaining() && connection.endless) {
      connection.response = ByteBuffer.allocate(BLOCK_BYTES);
    }
    key.interestOps(
        connection.response.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
  }

  private static void disconnect(SelectionKey key) {
    try {
      key.channel().close();
    } catch (IOException closed) {
      // The connection is closed either way.
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      disconnect(key);
    }
    selector.close();
  }
}
