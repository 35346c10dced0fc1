package io.penstock.cli.recipes;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * An HTTP client with its own source address that sends headers as given and opens a connection for
 * each request. The client of the JDK does not support this.
 *
 * @param address its source address on the loopback interface
 * @param port the port of the server
 */
record Client(String address, int port) {
  /** Far longer than the timeouts of the recipes, far shorter than the defaults of proxies. */
  private static final int TIMEOUT_MILLIS = 10_000;

  private static final byte[] NO_BODY = {};

  static Client of(int port) {
    return new Client("127.0.0.1", port);
  }

  Reply get(String target, String... headers) {
    return send("GET", target, NO_BODY, headers);
  }

  /** Sends a request, with a body if it has any bytes. */
  Reply send(String method, String target, byte[] body, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    if (body.length > 0) {
      all.add("Content-Length: " + body.length);
    }
    return exchange(head(method, target, all), body);
  }

  /** Sends a request with a body of two chunks. */
  Reply sendChunked(String method, String target, byte[] body, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    all.add("Transfer-Encoding: chunked");
    ByteArrayOutputStream chunks = new ByteArrayOutputStream();
    int half = body.length / 2;
    chunk(body, 0, half, chunks);
    chunk(body, half, body.length - half, chunks);
    chunk(body, 0, 0, chunks);
    return exchange(head(method, target, all), chunks.toByteArray());
  }

  private static void chunk(byte[] body, int from, int length, ByteArrayOutputStream to) {
    to.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(ISO_8859_1));
    to.write(body, from, length);
    to.writeBytes("\r\n".getBytes(ISO_8859_1));
  }

  private static byte[] head(String method, String target, List<String> headers) {
    StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    if (headers.stream().noneMatch(header -> header.startsWith("Host:"))) {
      head.append("Host: localhost\r\n");
    }
    headers.forEach(header -> head.append(header).append("\r\n"));
    return head.append("Connection: close\r\n\r\n").toString().getBytes(ISO_8859_1);
  }

  private Reply exchange(byte[] head, byte[] body) {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(head);
      socket.getOutputStream().write(body);
      return read(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    return socket;
  }

  private static Reply read(InputStream in) throws IOException {
    String statusLine = line(in);
    if (!statusLine.startsWith("HTTP/1.1 ")) {
      throw new IOException("not an HTTP response: " + statusLine);
    }
    Map<String, List<String>> headers = new TreeMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      String name = line.substring(0, line.indexOf(':'));
      headers
          .computeIfAbsent(name.toLowerCase(Locale.ROOT), absent -> new ArrayList<>())
          .add(line.substring(name.length() + 1).trim());
    }
    int status = Integer.parseInt(statusLine.substring(9, 12));
    return new Reply(status, headers, new String(in.readAllBytes(), ISO_8859_1));
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      line.append((char) c);
    }
    return line.toString().trim();
  }
}
