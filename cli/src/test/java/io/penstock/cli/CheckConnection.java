package io.penstock.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/**
 * A connection that sends one {@code POST /v1/check} after the other, and fails if the service
 * sends anything besides one response for each. The client of the JDK reports such bytes, too, but
 * its pool of connections has races on a machine without idle cores. Not thread-safe.
 */
final class CheckConnection implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final String LENGTH = "content-length:";
  private static final String DEGRADED = "penstock-degraded:";

  private final Socket socket;
  private final InputStream in;
  private String degradation = "";

  CheckConnection(Service service) {
    try {
      socket = new Socket(InetAddress.getLoopbackAddress(), service.port());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(TIMEOUT_MILLIS);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends a check and returns the response body. */
  String check(String body) {
    byte[] bytes = body.getBytes(UTF_8);
    String head =
        "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
            + bytes.length
            + "\r\n\r\n";
    try {
      assertThat(new String(in.readNBytes(in.available()), ISO_8859_1)).as("surplus").isEmpty();
      socket.getOutputStream().write((head + body).getBytes(UTF_8));
      String status = line();
      int length = 0;
      degradation = "";
      for (String field = line(); !field.isEmpty(); field = line()) {
        if (field.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
          length = Integer.parseInt(field.substring(LENGTH.length()).strip());
        } else if (field.toLowerCase(Locale.ROOT).startsWith(DEGRADED)) {
          degradation = field.substring(DEGRADED.length()).strip();
        }
      }
      String answer = new String(in.readNBytes(length), UTF_8);
      assertThat(status).as(answer).isEqualTo("HTTP/1.1 200 OK");
      return answer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Why the last decision was degraded; empty if it was not. */
  String degradation() {
    return degradation;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("closed after " + line);
      }
      line.append((char) next);
    }
    return line.toString().strip();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
