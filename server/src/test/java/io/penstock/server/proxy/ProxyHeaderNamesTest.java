package io.penstock.server.proxy;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Origins whose header names are malformed (RFC 9112, section 5.1). */
final class ProxyHeaderNamesTest {
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  private static final int TIMES = 3;

  @TempDir private Path folder;
  private final LoggedWarnings warnings = new LoggedWarnings();

  @AfterEach
  void stopListening() {
    warnings.close();
  }

  /** The last ones have no colon; a line before them has one at the same position. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "X A: a",
        "X\tA: a",
        "X A : a",
        "X  A:",
        "X A",
        " X: a",
        " : a",
        ": a",
        "Content-Length x: 0",
        "abcd: e\r\nX A",
        "a: b\r\nX ",
        "a : b\r\nX \t",
      })
  void invalidName_badGateway(String line) throws IOException {
    String head = "HTTP/1.1 200 OK\r\n" + line + "\r\nContent-Length: 2\r\n\r\nok";
    try (SocketOrigin origin = new SocketOrigin((request, to) -> to.send(head));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      for (int i = 0; i < TIMES; i++) {
        assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502").contains("application/problem+json");
      }
      await().until(() -> origin.open() == 0);
      assertThat(origin.accepted()).isEqualTo(TIMES);
    }
    assertThat(warnings.messages())
        .singleElement()
        .asString()
        .startsWith("Invalid response from the origin; the client gets 502");
  }

  /** The origin may send a head in any number of parts. */
  @Test
  void invalidName_sentByteByByte_badGateway() throws IOException {
    try (SocketOrigin origin =
            new SocketOrigin(
                (request, to) -> {
                  for (char c : "HTTP/1.1 200 OK\r\na: b\r\nX \r\n\r\n".toCharArray()) {
                    to.send(String.valueOf(c));
                  }
                });
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"X-A : a", "X-A\t: a", "X-A \t : a", "X-A :a"})
  void whitespaceBeforeTheColon_isRemoved(String line) throws IOException {
    String head = "HTTP/1.1 200 OK\r\n" + line + "\r\nX-B :\r\nContent-Length: 2\r\n\r\nok";
    try (SocketOrigin origin = new SocketOrigin((request, to) -> to.send(head));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      assertThat(proxy.raw(GET))
          .startsWith("HTTP/1.1 200")
          .contains("\r\nX-A: a\r\n", "\r\nX-B: \r\n")
          .endsWith("ok");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"X A: a", "X A", " X: a", ": a", "Trailer x: a"})
  void invalidNameOfATrailer_theResponseIsAborted(String line) throws IOException {
    String answer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n" + line + "\r\n\r\n";
    try (SocketOrigin origin = new SocketOrigin((request, to) -> to.send(answer));
        ProxyFixture proxy = new ProxyFixture(folder, ProxyFixture.UNLIMITED, origin.url())) {
      for (int i = 0; i < TIMES; i++) {
        assertThat(proxy.raw(GET)).doesNotContain("\r\n0\r\n");
      }
      await().until(() -> origin.open() == 0);
      await().until(() -> proxy.metric("penstock_proxy_in_flight") == 0);
    }
    assertThat(warnings.messages())
        .singleElement()
        .asString()
        .startsWith("Invalid response from the origin");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x a", "x\ta", "x ", " x", "x:", ""})
  void invalidNameOverHttp2_badGateway(String name) throws IOException {
    try (SocketOrigin origin =
            SocketOrigin.http2((to, stream) -> to.head(stream, true, ":status", "200", name, "a"));
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                ProxyFixture.UNLIMITED,
                origin.url(),
                Map.of(Setting.UPSTREAM_HTTP2, "true"))) {
      assertThat(proxy.raw(GET)).startsWith("HTTP/1.1 502").contains("application/problem+json");
    }
    assertThat(warnings.messages())
        .singleElement()
        .asString()
        .startsWith("Invalid response from the origin");
  }
}
