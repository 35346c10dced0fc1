package io.penstock.bench.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.penstock.bench.contest.FailedRunException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Locale;

/** A connection that sends one request at a time. Not thread-safe. */
final class BenchConnection implements AutoCloseable {
  private static final String OK = "HTTP/1.1 200 ";
  private static final String LENGTH = "content-length: ";

  private final SocketChannel channel;
  private final ByteBuffer request;
  private final ByteBuffer response = ByteBuffer.allocate(64 << 10);
  private long dueNanos;

  BenchConnection(InetSocketAddress server, byte[] request, Selector selector) throws IOException {
    this.channel = SocketChannel.open(server);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, this);
    this.request = ByteBuffer.wrap(request);
  }

  long dueNanos() {
    return dueNanos;
  }

  void send(long due) throws IOException {
    this.dueNanos = due;
    response.clear();
    request.rewind();
    channel.write(request);
    if (request.hasRemaining()) {
      throw new FailedRunException("a request does not fit into an empty socket buffer");
    }
  }

  /** Reads available bytes, and returns whether the response is complete. */
  boolean readResponse() {
    try {
      if (channel.read(response) < 0) {
        throw new FailedRunException("the server closed a connection");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String text = new String(response.array(), 0, response.position(), US_ASCII);
    int end = text.indexOf("\r\n\r\n");
    if (end < 0) {
      return false;
    }
    if (!text.startsWith(OK)) {
      throw new FailedRunException("not allowed: " + text);
    }
    String head = text.substring(0, end).toLowerCase(Locale.ROOT);
    int length = head.indexOf(LENGTH);
    int lineEnd = head.indexOf('\r', length);
    String digits = head.substring(length + LENGTH.length(), lineEnd < 0 ? end : lineEnd);
    return text.length() >= end + 4 + Integer.parseInt(digits.strip());
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
