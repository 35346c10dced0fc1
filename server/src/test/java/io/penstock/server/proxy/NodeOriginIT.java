package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.penstock.server.RunningServer;
import io.penstock.server.Setting;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins that run on Node.js, with the informational responses of its API. */
@Tag("full")
final class NodeOriginIT {
  private static final int ROUNDS = 5;

  private static final String ORIGIN =
      """
      const http2 = process.argv[1] === 'true';
      const answer = (path, processing, hints, end) => {
        if (path === '/report') {
          processing();
          setTimeout(() => { processing(); end('report'); }, 100);
        } else if (path === '/hints') {
          hints();
          end('hints');
        } else {
          end('other');
        }
      };
      const server = http2
        ? require('http2').createServer().on('stream', (stream, headers) => answer(
            headers[':path'],
            () => stream.additionalHeaders({':status': 102}),
            () => stream.additionalHeaders({':status': 103, 'link': '</a.css>; rel=preload'}),
            body => { stream.respond({':status': 200}); stream.end(body); }))
        : require('http').createServer((request, response) => answer(
            request.url,
            () => response.writeProcessing(),
            () => response.writeEarlyHints({'link': '</a.css>; rel=preload'}),
            body => response.end(body)));
      server.listen(0, '127.0.0.1', () => console.log(server.address().port));
      """;

  /**
   * Sends a request over HTTP/2, and prints the status of each response and the body of the last.
   */
  private static final String CLIENT =
      """
      const client = require('http2').connect('http://127.0.0.1:' + process.argv[1]);
      const request = client.request({':path': process.argv[2]});
      const seen = [];
      request.on('headers', headers => seen.push(headers[':status']));
      request.on('response', headers => seen.push(headers[':status']));
      let body = '';
      request.setEncoding('utf8');
      request.on('data', part => body += part);
      request.on('end', () => { console.log(seen.join(' ') + ' ' + body); client.close(); });
      """;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void processing_thenTheFinalResponse_eachClientGetsItsOwn(boolean http2) throws Exception {
    try (Node origin = new Node(ORIGIN, Boolean.toString(http2));
        ProxyFixture proxy = proxy(origin, http2)) {
      for (int round = 0; round < ROUNDS; round++) {
        try (Socket report = proxy.connect();
            Socket other = proxy.connect()) {
          send(report, "/report");
          assertThat(SocketOrigin.head(report)).startsWith("HTTP/1.1 102 ");
          send(other, "/");
          assertThat(RunningServer.rest(other)).startsWith("HTTP/1.1 200").contains("other");
          assertThat(RunningServer.rest(report))
              .matches("(?s)HTTP/1\\.1 102 [^\r]*\r\n\r\nHTTP/1\\.1 200 .*report.*");
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void earlyHints_reachTheClientWithTheirHeaders(boolean http2) throws Exception {
    try (Node origin = new Node(ORIGIN, Boolean.toString(http2));
        ProxyFixture proxy = proxy(origin, http2);
        Socket client = proxy.connect()) {
      send(client, "/hints");
      assertThat(SocketOrigin.head(client))
          .isEqualToIgnoringCase("HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n");
      assertThat(RunningServer.rest(client)).startsWith("HTTP/1.1 200").contains("hints");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void client_overHttp2_getsEveryInformationalResponse(boolean http2) throws Exception {
    try (Node origin = new Node(ORIGIN, Boolean.toString(http2));
        ProxyFixture proxy = proxy(origin, http2)) {
      String port = Integer.toString(proxy.port());
      try (Node client = new Node(CLIENT, port, "/report")) {
        assertThat(client.line()).isEqualTo("102 102 200 report");
      }
      try (Node client = new Node(CLIENT, port, "/hints")) {
        assertThat(client.line()).isEqualTo("103 200 hints");
      }
    }
  }

  private ProxyFixture proxy(Node origin, boolean http2) throws IOException {
    return new ProxyFixture(
        folder,
        ProxyFixture.UNLIMITED,
        "http://127.0.0.1:" + origin.line(),
        Map.of(Setting.UPSTREAM_HTTP2, Boolean.toString(http2)));
  }

  private static void send(Socket client, String path) throws IOException {
    client
        .getOutputStream()
        .write(
            ("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                .getBytes(ISO_8859_1));
  }

  /** A program that runs on Node.js; without it, the test is skipped. */
  private static final class Node implements AutoCloseable {
    private final Process process;
    private final BufferedReader out;

    Node(String program, String... arguments) {
      List<String> command = new ArrayList<>(List.of("node", "-e", program));
      command.addAll(List.of(arguments));
      this.process = start(command);
      this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    }

    private static Process start(List<String> command) {
      try {
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      } catch (IOException missing) {
        return abort("node is not on the PATH; install it to test origins that run on it");
      }
    }

    String line() throws IOException {
      return String.valueOf(out.readLine());
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
