package io.penstock.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Streams bodies of eight times the heap size in both directions: all bytes arrive, and none are
 * buffered.
 */
@Tag("full")
class ProxyStreamsIT {
  private static final long GIBIBYTE = 1L << 30;
  private static final byte[] BLOCK = block();
  private static final String LENGTH = "Content-Length: " + GIBIBYTE + "\r\n\r\n";

  @TempDir Path folder;

  private static byte[] block() {
    byte[] block = new byte[1 << 16];
    new java.util.Random(1).nextBytes(block);
    return block;
  }

  @Test
  void upload_ofAGibibyte_throughAHeapOf128Mebibytes() throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyService proxy = ProxyService.start(folder, "128m", url(origin));
        Socket client = proxy.connect()) {
      CompletableFuture<Long> received =
          CompletableFuture.supplyAsync(
              () -> {
                try (Socket socket = origin.accept()) {
                  long sum = readBody(socket);
                  socket.getOutputStream().write(ascii("HTTP/1.1 204 No Content\r\n\r\n"));
                  return sum;
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      OutputStream out = client.getOutputStream();
      out.write(ascii("POST / HTTP/1.1\r\nHost: a\r\n" + LENGTH));
      long sent = writeBody(out);
      assertThat(head(client.getInputStream())).startsWith("HTTP/1.1 204");
      assertThat(received.join()).isEqualTo(sent);
      System.out.println("1 GiB up: " + proxy.figures());
    }
  }

  @Test
  void download_ofAGibibyte_throughAHeapOf128Mebibytes() throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ProxyService proxy = ProxyService.start(folder, "128m", url(origin));
        Socket client = proxy.connect()) {
      CompletableFuture<Long> sent =
          CompletableFuture.supplyAsync(
              () -> {
                try (Socket socket = origin.accept()) {
                  head(socket.getInputStream());
                  socket.getOutputStream().write(ascii("HTTP/1.1 200 OK\r\n" + LENGTH));
                  return writeBody(socket.getOutputStream());
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      client.getOutputStream().write(ascii("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
      assertThat(readBody(client)).isEqualTo(sent.join());
      System.out.println("1 GiB down: " + proxy.figures());
    }
  }

  private static String url(ServerSocket origin) {
    return "http://127.0.0.1:" + origin.getLocalPort();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }

  /** Writes one gibibyte and returns its checksum. */
  private static long writeBody(OutputStream out) throws IOException {
    CRC32C sum = new CRC32C();
    for (long sent = 0; sent < GIBIBYTE; sent += BLOCK.length) {
      out.write(BLOCK);
      sum.update(BLOCK);
    }
    return sum.getValue();
  }

  /** Reads a head and one gibibyte, and returns the checksum of the latter. */
  private static long readBody(Socket socket) throws IOException {
    InputStream in = new BufferedInputStream(socket.getInputStream(), BLOCK.length);
    head(in);
    CRC32C sum = new CRC32C();
    byte[] part = new byte[BLOCK.length];
    for (long left = GIBIBYTE; left > 0; ) {
      int read = in.read(part, 0, (int) Math.min(left, part.length));
      if (read < 0) {
        throw new IOException(left + " bytes are missing");
      }
      sum.update(part, 0, read);
      left -= read;
    }
    return sum.getValue();
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("closed after: " + head);
      }
      head.append((char) next);
    }
    return head.toString();
  }
}
