package io.penstock.policy.path;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.path.PathSettings.EncodedSlashes;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NormalPathTest {
  private static final PathSettings KEEPING = PathSettings.DEFAULT.with(EncodedSlashes.KEEP);
  private static final PathSettings DECODING = PathSettings.DEFAULT.with(EncodedSlashes.DECODE);
  private static final PathSettings LITERAL =
      new PathSettings(EncodedSlashes.REJECT, false, false, false, false);
  private static final PathSettings LENIENT =
      new PathSettings(EncodedSlashes.REJECT, true, true, true, true);

  @ParameterizedTest
  @CsvSource({
    "/, /",
    "'', /",
    "/login, /login",
    "//login, /login",
    "/login/, /login/",
    "/a/./b, /a/b",
    "/a/../b, /b",
    "/../../b, /b",
    "/a/b/.., /a/",
    "/a/., /a/",
    "/.well-known/x, /.well-known/x",
    "/..., /...",
    "/%6cog%69n, /login",
    "/%2e%2e/login, /login",
    "/a/%2E/login, /a/login",
    "/a%2fb, /a%2Fb",
    "/a%5cb\\c, /a%5Cb%5Cc",
    "/caf%c3%a9, /caf%C3%A9",
    "/%zz%4, /%25zz%254",
    "/%%36c, /%256c",
    "/%25%36%63, /%256c",
    "login, /login",
    "/a?x=/../%6c, /a?x=/../%6c",
    "//a?b, /a?b",
    "/a#b?c, /a?c",
    "/a?k=1#2, /a?k=1",
    "/a?k#?l#, /a?k",
    "/login;a=b, /login;a=b",
    "/;jsessionid=1, /;jsessionid=1",
    "/app/;jsessionid=1?x, /app/;jsessionid=1?x",
    "/;x/login, /login",
    "/a;b/c, /a;b/c",
    "/a;b/../c, /c",
    "/a/..;/login, /login",
    "/a/%2e%2e;x=1/login, /login",
    "/a/.;/login, /a/login",
    "/%40a, /%40a",
  })
  void forwarded_spelledInAnyWay_isTheOneWay(String target, String normal) {
    assertThat(NormalPath.forwarded(target, KEEPING)).isEqualTo(normal);
  }

  @ParameterizedTest
  @CsvSource({
    "/login;a=b, /login",
    "/;x/login, /login",
    "/a/..;/login, /login",
    "/login/;x, /login/",
    "/;x, /",
    "/%40me, /@me",
    "/a%2Cb%3Ac, '/a,b:c'",
    "/a%3Bb, /a%3Bb",
    "/a|b, /a%7Cb",
    "/a*b, /a%2Ab",
    "/caf\u00e9, /caf%C3%A9",
    "*, *",
    "/login#x, /login",
    "/a%3Fb, /a%3Fb",
    "http://host/login, /login",
    "HTTPS://host:8443//a/../%6cogin, /login",
    "http://host, /",
    "http://host#x, /",
    "/http://host/login, /http:/host/login",
  })
  void matched_byDefault_isWhatTheOriginReads(String path, String matched) {
    assertThat(NormalPath.matched(path, PathSettings.DEFAULT)).isEqualTo(matched);
  }

  @ParameterizedTest
  @CsvSource({
    "/LOGIN, /login",
    "/Login/, /login",
    "/login., /login",
    "/login.%20., /login",
    "/a./b%20/c, /a/b/c",
    "/log%C4%B0n, /login",
    "/%C3%89a, /%C3%A9a",
    "/%FFA, /%FFa",
    "/%2DA%25B, /-a%25b",
    "/, /",
  })
  void matched_byALenientOrigin_isWhatItReads(String path, String matched) {
    assertThat(NormalPath.matched(path, LENIENT)).isEqualTo(matched);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/%2Flogin", "/x%2f..%2flogin", "/a\\b", "/a%5cb", "/a;x=%2F", "/a%00"})
  void ambiguous_byDefault_isRejected(String path) {
    assertThat(NormalPath.forwarded(path, PathSettings.DEFAULT)).isNull();
    assertThat(NormalPath.matched(path, PathSettings.DEFAULT)).isNull();
  }

  @Test
  void controlCharacter_always_isRejected() {
    for (PathSettings settings :
        List.of(PathSettings.DEFAULT, KEEPING, DECODING, LITERAL, LENIENT)) {
      for (int c = 0; c < 0x80; c++) {
        if (Character.isISOControl(c)) {
          for (String character : List.of(Character.toString(c), String.format("%%%02x", c))) {
            for (String path : List.of("/login" + character, "/" + character + "login/x")) {
              assertThat(NormalPath.forwarded(path, settings)).as(path).isNull();
              assertThat(NormalPath.matched(path, settings)).as(path).isNull();
            }
          }
        }
      }
      assertThat(NormalPath.forwarded("/login?x=%0A", settings)).isEqualTo("/login?x=%0A");
      assertThat(NormalPath.matched("/%C2%8A", settings)).isNotNull();
    }
  }

  @Test
  void ambiguous_always_isRejected() {
    assertThat(NormalPath.forwarded("/a/..;/b", LITERAL)).isNull();
    assertThat(NormalPath.forwarded("/a/.;x/b", LITERAL)).isNull();
    assertThat(NormalPath.forwarded("/a/.../b", LENIENT)).isNull();
    assertThat(NormalPath.matched("/a/%20/b", LENIENT)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "/%2Flogin, /login",
    "/x%2F..%2Flogin, /login",
    "/x%5C..\\login, /login",
    "/a;x=%2Fb, /a;x=/b",
  })
  void forwarded_decoding_isWithSlashes(String target, String normal) {
    assertThat(NormalPath.forwarded(target, DECODING)).isEqualTo(normal);
  }

  @Test
  void parametersKept_matched_areThePathsOwn() {
    assertThat(NormalPath.matched("/a;b", LITERAL)).isEqualTo("/a;b");
    assertThat(NormalPath.matched("/a%3bb", LITERAL)).isEqualTo("/a;b");
  }

  @Test
  void normalPath_isTheSameObject() {
    String target = "/search/items?q=%20//..";
    assertThat(NormalPath.forwarded(target, PathSettings.DEFAULT)).isSameAs(target);
    String path = "/search/Items@x,y";
    assertThat(NormalPath.matched(path, PathSettings.DEFAULT)).isSameAs(path);
  }

  @Property(tries = 5_000)
  void forwarded_anything_isNormalOnceAndMatchesAsBefore(
      @ForAll("targets") String target, @ForAll("settings") PathSettings settings) {
    String once = NormalPath.forwarded(target, settings);
    String matched = NormalPath.matched(path(target), settings);
    if (once == null || matched == null) {
      assertThat(once).isEqualTo(matched);
      return;
    }
    assertThat(NormalPath.forwarded(once, settings)).isEqualTo(once);
    assertThat(NormalPath.matched(path(once), settings)).isEqualTo(matched);
    assertThat(NormalPath.matched(matched, settings)).isEqualTo(matched);
    assertThat(once).startsWith("/");
    assertThat(path(once) + "/").doesNotContain("//x", "/./", "/../").doesNotMatch(".*//.+");
    assertThat(PathPatterns.of(matched.replace("*", "%2A"), settings)).contains(matched);
  }

  private static String path(String target) {
    return target.indexOf('?') < 0 ? target : target.substring(0, target.indexOf('?'));
  }

  @Test
  void folded_everyCharacter_isFoldedOnce() {
    for (int codePoint = 0x80; codePoint < 0x11000; codePoint++) {
      if (codePoint < 0xd800 || codePoint > 0xdfff) {
        String folded = folded("/" + Character.toString(codePoint));
        assertThat(folded).isEqualTo(folded(String.valueOf(folded)));
      }
    }
  }

  private static @Nullable String folded(String path) {
    return NormalPath.matched(path, LENIENT);
  }

  @Provide
  Arbitrary<String> targets() {
    return Arbitraries.strings()
        .withChars("/.%?#2eEfF5cC63bB;0 \\ax*\u00e9")
        .ofMaxLength(24)
        // The target of OPTIONS for a whole server is not a path.
        .filter(target -> !path(target).equals("*"));
  }

  @Provide
  Arbitrary<PathSettings> settings() {
    Arbitrary<Boolean> either = Arbitraries.of(true, false);
    return Combinators.combine(Arbitraries.of(EncodedSlashes.class), either, either, either, either)
        .as(PathSettings::new);
  }
}
