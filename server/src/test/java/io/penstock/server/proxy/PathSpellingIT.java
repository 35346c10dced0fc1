package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.RunningServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Real origins behind the proxy, each with the settings that docs/policy.md recommends for it: no
 * variant of a path that the origin serves as /login bypasses the rule for /login.
 */
@Tag("full")
class PathSpellingIT {
  private static final String RULES =
      """
      rules:
        - {name: login, limit_keys: [], match: {path: /login}, rate: 1/h, burst: 1}
      """;
  private static final int PATIENCE_MILLIS = 20_000;

  private static final List<String> PREFIXES =
      List.of(
          "/",
          "//",
          "/./",
          "/x/../",
          "/%2F",
          "/%2f/",
          "/x%2F..%2F",
          "/..%2F",
          "/%2e%2e/",
          "/;x/",
          "/;/",
          "/.;/",
          "/%2e;a/",
          "/x/..;/",
          "/x;y/..;z=1/",
          "/x/%2e%2e;/",
          "/%5C",
          "/\\",
          "/x%5C..%5C",
          "/%252F",
          "/x/%252e%252e/",
          "/%20/",
          "/.../",
          "http://a/",
          "http://a//",
          "/%3B/",
          "/%C0%AF",
          "/%00/");
  private static final List<String> NAMES =
      List.of(
          "login",
          "LOGIN",
          "Login",
          "%6cogin",
          "%4cOGIN",
          "log%69n",
          "log%49n",
          "log%C4%B0n",
          "log%C4%B1n",
          "l%EF%BD%8Fgin",
          "%256cogin");
  private static final List<String> SUFFIXES =
      List.of(
          "",
          ";a=b",
          ";",
          ";a/../x/..;/",
          ".",
          "..",
          "...",
          "%20",
          "%2E",
          "%2e%20.",
          ".%20",
          "/",
          "//",
          "/.",
          "/./",
          "/x/..",
          "/x/..;",
          "/;x",
          "%3Ba",
          "%3B",
          "?x",
          "?/../x",
          "#x",
          "%23",
          "%3F",
          "%00",
          "%00.png",
          "%0A",
          "%09",
          "\\",
          "%5C",
          "+",
          "%2F",
          "%2F.",
          "%2F..%2Flogin",
          "%",
          "%2",
          "%u002f",
          "::$DATA");

  @TempDir private Path folder;

  private static Set<String> spellings() {
    Set<String> all = new LinkedHashSet<>();
    PREFIXES.forEach(prefix -> SUFFIXES.forEach(suffix -> all.add(prefix + "login" + suffix)));
    NAMES.forEach(
        name -> {
          PREFIXES.forEach(prefix -> all.add(prefix + name));
          SUFFIXES.forEach(suffix -> all.add("/" + name + suffix));
        });
    return all;
  }

  @Test
  void nginx_anySpelling_isLimited() throws Exception {
    try (RealOrigin origin = RealOrigin.nginx(folder)) {
      assertNoneEscapes(origin, "", "/%2Flogin", "/x%2F..%2Flogin");
    }
  }

  @Test
  void caddy_anySpelling_isLimited() throws Exception {
    try (RealOrigin origin = RealOrigin.caddy(folder)) {
      String settings = "paths: {case: insensitive, trailing_dots: strip}\n";
      assertNoneEscapes(origin, settings, "/%2Flogin", "/LOGIN", "/log%C4%B0n");
    }
  }

  @Test
  void tomcat_anySpelling_isLimited() throws Exception {
    try (RealOrigin origin = RealOrigin.tomcat(folder)) {
      assertNoneEscapes(origin, "", "/login;a=b", "/;x/login", "/x/..;/login");
    }
  }

  @ParameterizedTest
  @CsvSource({"nginx, decode", "nginx, keep", "caddy, decode", "tomcat, decode"})
  void encodedSlashes_decodedAtOrigin_areSlashesToRules(String name, String setting)
      throws Exception {
    try (RealOrigin origin = RealOrigin.of(name, folder)) {
      String settings =
          "paths: {encoded_slashes: %s, case: insensitive, trailing_dots: strip}%n"
              .formatted(setting);
      Set<String> escaped = escaping(origin, settings);
      if (setting.equals("decode")) {
        assertThat(escaped).isEmpty();
      } else {
        // The documentation warns of this.
        assertThat(escaped).contains("/%2Flogin");
      }
    }
  }

  @Test
  void tomcat_sessionInPath_reachesTheOrigin() throws Exception {
    try (RealOrigin origin = RealOrigin.tomcat(folder);
        ProxyFixture proxy = new ProxyFixture(folder, RULES, origin.url())) {
      assertThat(answer(proxy.port(), "/login;jsessionid=AB12?x=1"))
          .startsWith("HTTP/1.1 200")
          .contains("LOGIN session AB12");
    }
  }

  /**
   * @param served variants that the origin serves as /login when requested directly
   */
  private void assertNoneEscapes(RealOrigin origin, String settings, String... served)
      throws IOException {
    for (String spelling : served) {
      assertThat(answer(origin.port(), spelling)).as(spelling).contains("LOGIN");
    }
    assertThat(escaping(origin, settings)).isEmpty();
  }

  private Set<String> escaping(RealOrigin origin, String settings) throws IOException {
    Set<String> escaped = new LinkedHashSet<>();
    try (ProxyFixture proxy = new ProxyFixture(folder, settings + RULES, origin.url())) {
      assertThat(answer(proxy.port(), "/login")).contains("LOGIN");
      for (String spelling : spellings()) {
        String answer = answer(proxy.port(), spelling);
        assertThat(answer).as(spelling).startsWith("HTTP/1.1 ");
        if (answer.contains("LOGIN")) {
          escaped.add(spelling);
        }
      }
    }
    return escaped;
  }

  private static String answer(int port, String target) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      String request = "GET " + target + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      socket.getOutputStream().flush();
      return RunningServer.rest(socket);
    }
  }
}
