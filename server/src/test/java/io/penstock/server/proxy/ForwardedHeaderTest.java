package io.penstock.server.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ForwardedHeaderTest {
  private static final String SAID = "Forwarded: for=198.51.100.9;proto=https\r\n";
  private static final String TRUSTING =
      "client_address: {trusted_proxies: [127.0.0.0/8], header: forwarded}\n";

  @TempDir private Path folder;

  @Test
  void untrusted_itsValue_isReplaced() throws Exception {
    assertThat(forwarded("127.0.0.1", ProxyFixture.UNLIMITED, "true"))
        .isEqualTo("for=127.0.0.1;proto=http;host=\"shop.example:81\"");
  }

  @Test
  void trusted_itsList_isExtended() throws Exception {
    assertThat(forwarded("127.0.0.1", TRUSTING + ProxyFixture.UNLIMITED, "true"))
        .isEqualTo(
            "for=198.51.100.9;proto=https, for=127.0.0.1;proto=http;host=\"shop.example:81\"");
  }

  @Test
  void ipv6_isQuotedInBrackets() throws Exception {
    assertThat(forwarded("::1", ProxyFixture.UNLIMITED, "true"))
        .isEqualTo("for=\"[::1]\";proto=http;host=\"shop.example:81\"");
  }

  @Test
  void off_isAlwaysDropped() throws Exception {
    assertThat(forwarded("127.0.0.1", TRUSTING + ProxyFixture.UNLIMITED, "false"))
        .isEqualTo("null");
  }

  private String forwarded(String address, String policy, String setting) throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    try (TestOrigin origin =
            new TestOrigin(
                request -> {
                  seen.complete(String.join(" & ", request.headers().getAll("forwarded")));
                  request.response().end();
                });
        ProxyFixture proxy =
            new ProxyFixture(
                folder,
                policy,
                origin.url(),
                Map.of(Setting.UPSTREAM_FORWARDED, setting, Setting.PROXY_HOST, address));
        Socket socket = new Socket(InetAddress.getByName(address), proxy.port())) {
      String head = "GET / HTTP/1.1\r\nHost: shop.example:81\r\nConnection: close\r\n";
      socket.getOutputStream().write((head + SAID + "\r\n").getBytes(StandardCharsets.US_ASCII));
      socket.getInputStream().readAllBytes();
    }
    return seen.join().isEmpty() ? "null" : seen.join();
  }
}
