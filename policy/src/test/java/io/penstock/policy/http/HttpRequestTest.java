package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Request;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.jwt.JwtSettings;
import io.penstock.policy.jwt.JwtVerifier;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpRequestTest {
  private static final JwtVerifier TRUSTING = new JwtVerifier(JwtSettings.TRUSTED);

  @ParameterizedTest
  @CsvSource({
    "/a/b, /a/b",
    "/a?b=c, /a",
    "/a?, /a",
    "/a?b?c, /a",
    "/%2E/A;x=1//b, /%2E/A;x=1//b",
    "*, *",
    "?a, /",
  })
  void path_target_isWithoutTheQuery(String target, String path) {
    assertThat(request(target).path()).isEqualTo(path);
  }

  @ParameterizedTest
  @CsvSource({
    "Example.COM, example.com",
    "Example.com:8080, example.com",
    "example.com:, example.com",
    "example.com., example.com",
    "example.com.:80, example.com",
    "example.com:http, example.com:http",
    "[::1]:80, [::1]",
    "[2001:DB8::1], [2001:db8::1]",
    "::1, ::1",
    "10.0.0.1:80, 10.0.0.1",
    ":80, :80",
    "., ",
    "'', ",
    ", ",
  })
  void host_sent_isLowerCaseWithoutPort(String sent, String host) {
    Request request =
        new HttpRequest(null, RequestLine.of("GET", "/", sent), name -> null, TRUSTING);

    assertThat(request.host()).isEqualTo(host).isEqualTo(request.host());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/?a=1 | a | 1",
        "/?a=1&b=2 | b | 2",
        "/?a=1&b=2 | c | ",
        "/?A=1 | a | ', 1'",
        "/?aa=1&a=2 | a | 2",
        "/?a=1&aa=2 | aa | 2",
        "/?a=1&a=2&a=1 | a | 1, 2, 1",
        "/?a=&a=5 | a | ', 5'",
        "/?a | a | ''",
        "/?a= | a | ''",
        "/?a=b=c | a | b=c",
        "/?&&a=1&& | a | 1",
        "/?&& | '' | ",
        "/?=1 | '' | 1",
        "/?a=x+y%20z | a | x y z",
        "/?a=%C3%A9%c3%a9 | a | éé",
        "/?a=%E2%82%ACx%41 | a | €xA",
        "/?a=%FF | a | \uFFFD",
        "/?a=%zz%4 | a | %zz%4",
        "/?a=100% | a | 100%",
        "/?a=%2 | a | %2",
        "/?a=%C3%zz | a | \uFFFD%zz",
        "/?a=é | a | é",
        "/?%61=1 | a | 1",
        "/?%61=1&a=2 | a | 1, 2",
        "/?user+id=1&user%20id=2 | user id | 1, 2",
        "/?%C3%A9=1 | é | 1",
        "/?é=1 | é | 1",
        "/?%6=1 | %6 | 1",
        "/?a%3Db=1 | a=b | 1",
        "/?a%26b=1 | a&b | 1",
        "/?a=1;b=2 | a | ', 1;b=2, 1'",
        "/?x=1?a=2 | a | ",
        "/?%6 | a | ",
        "/a=1 | a | ",
        "/? | a | ",
      })
  void query_name_isDecodedAndJoined(String target, String name, String value) {
    assertThat(request(target).query(name)).isEqualTo(value);
  }

  @Property
  void query_whatAFormWrites_isReadBack(@ForAll("pairs") List<String> names) {
    StringBuilder query = new StringBuilder("/?");
    List<String> wanted = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      query
          .append(i == 0 ? "" : "&")
          .append(encode(names.get(i)))
          .append('=')
          .append(encode("é+" + i));
      if (names.get(i).equals(names.get(0))) {
        wanted.add("é+" + i);
      }
    }

    assertThat(request(query.toString()).query(names.get(0))).isEqualTo(String.join(", ", wanted));
  }

  @Property
  void query_wellFormedEscapes_agreeWithTheLibrary(@ForAll("escaped") String value) {
    assertThat(request("/?a=" + value).query("a"))
        .isEqualTo(URLDecoder.decode(value, StandardCharsets.UTF_8));
  }

  @Property
  void query_anything_neverThrows(@ForAll String target, @ForAll String name) {
    String value = request("/?" + target).query(name);

    assertThat(value == null || value.length() <= 3 * target.length()).isTrue();
  }

  @Test
  void query_huge_isReadInLinearTime() {
    String flags = "/?" + "a&".repeat(1_000_000);
    String escapes = "/?" + "%C3%A9&".repeat(500_000) + "a=" + "%C3%A9x".repeat(500_000);

    assertThat(request(flags).query("a")).hasSize(2 * 999_999);
    assertThat(request(escapes).query("a")).hasSize(1_000_000);
    assertThat(request("/?" + "%".repeat(1_000_000)).query("a")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a=1 | a | 1",
        "a=1; b=2 | b | 2",
        "a=1;b=2 | b | 2",
        "a=1; b=2 | c | ",
        "A=1 | a | , 1",
        "aa=1; a=2 | a | 2",
        "a=1; a=2 | a | 1, 2",
        "a=\"1 2\" | a | 1 2",
        "a=\" | a | , \"",
        "a=\"\" | a | ``",
        "a= | a | ``",
        "a | a | ",
        "a=b=c | a | b=c",
        " a = 1 ; b=2 | a | 1",
        ";;a=1;; | a | 1",
        "a=%41 | a | A",
        "b=a=1 | a | ",
        "`` | a | ",
      })
  void cookie_name_isItsValue(String header, String name, String value) {
    Request request =
        new HttpRequest(
            null, line("/"), requested -> requested.equals("cookie") ? header : null, TRUSTING);

    assertThat(request.cookie(name)).isEqualTo(value);
  }

  @Test
  void cookie_huge_isReadInLinearTime() {
    String crumbs = "a=1;".repeat(500_000) + " ".repeat(1_000_000);
    Request request = new HttpRequest(null, line("/"), requested -> crumbs, TRUSTING);

    assertThat(request.cookie("a")).hasSize(3 * 500_000 - 2);
    assertThat(request.cookie("b")).isNull();
  }

  @Test
  void claim_askedOften_looksAtTheTokenOnce() {
    List<String> requested = new ArrayList<>();
    String token = "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSIsIm4iOjF9.";
    Request request =
        new HttpRequest(
            null,
            line("/"),
            name -> {
              requested.add(name);
              return token;
            },
            TRUSTING);

    assertThat(requested).isEmpty();
    assertThat(request.claim("sub")).isEqualTo("alice");
    assertThat(request.claim("n")).isEqualTo("1");
    assertThat(request.claim("plan")).isNull();
    assertThat(requested).containsExactly("authorization");
  }

  @Test
  void claim_withoutToken_isMissing() {
    assertThat(request("/").claim("sub")).isNull();
  }

  @Test
  void everythingElse_isAsGiven() {
    IpAddress address = IpAddress.parse("192.0.2.1");
    Request request =
        new HttpRequest(
            address, line("/"), Map.of("x-key", "K")::get, TRUSTING, Map.of("plan", "pro")::get);

    assertThat(request.address()).isEqualTo(address);
    assertThat(request.method()).isEqualTo("GET");
    assertThat(request.header("x-key")).isEqualTo("K");
    assertThat(request.header("x-other")).isNull();
    assertThat(request.attribute("plan")).isEqualTo("pro");
    assertThat(request.attribute("user_id")).isNull();
    assertThat(request.costThousandths()).isEqualTo(Request.UNSTATED);
  }

  @Test
  void nothingKnown_isNull() {
    Request request =
        new HttpRequest(null, RequestLine.of(null, null, null), name -> null, TRUSTING);

    assertThat(request.address()).isNull();
    assertThat(request.method()).isNull();
    assertThat(request.path()).isNull();
    assertThat(request.host()).isNull();
    assertThat(request.query("a")).isNull();
    assertThat(request.cookie("a")).isNull();
  }

  private static Request request(String target) {
    return new HttpRequest(null, line(target), name -> null, TRUSTING);
  }

  private static RequestLine line(String target) {
    return RequestLine.of("GET", target, "example.com");
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Provide
  Arbitrary<List<String>> pairs() {
    return Arbitraries.of("a", "b", "aa", "é", "a b", "a&b", "€", "a=b", "%41")
        .list()
        .ofMinSize(1)
        .ofMaxSize(8);
  }

  @Provide
  Arbitrary<String> escaped() {
    return Arbitraries.of(
            "%41", "%00", "%C3%A9", "%C3", "%80", "%F0%9F%98%80", "+", "a", "é", "%2B", "%25")
        .list()
        .ofMaxSize(12)
        .map(parts -> String.join("", parts));
  }
}
