package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** An origin that responds to one request after another with raw bytes, and closes after each. */
final class RawOrigin implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

  RawOrigin(String... answers) throws IOException {
    Thread serving =
        new Thread(
            () -> {
              try {
                for (String answer : answers) {
                  serve(answer);
                }
              } catch (IOException ended) {
                // The assertions of the test will fail.
              }
            });
    serving.setDaemon(true);
    serving.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  private void serve(String answer) throws IOException {
    try (Socket socket = server.accept()) {
      readHead(socket);
      OutputStream out = socket.getOutputStream();
      out.write(answer.getBytes(ISO_8859_1));
      out.flush();
    }
  }

  static void readHead(Socket socket) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        throw new EOFException();
      }
      head.append((char) next);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
