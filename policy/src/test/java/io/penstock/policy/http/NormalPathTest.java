package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NormalPathTest {
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
    "/caf%c3%a9, /caf%C3%A9",
    "/%zz%4, /%25zz%254",
    "/%%36c, /%256c",
    "/%25%36%63, /%256c",
    "login, /login",
    "/a?x=/../%6c, /a?x=/../%6c",
    "//a?b, /a?b",
    "/a#b?c, /a?c",
  })
  void of_spelledInAnyWay_isTheOneWay(String target, String normal) {
    assertThat(NormalPath.of(target)).isEqualTo(normal);
  }

  @Test
  void of_normalPath_isTheSameObject() {
    String target = "/search/items?q=%20//..";
    assertThat(NormalPath.of(target)).isSameAs(target);
  }

  @Property(tries = 2_000)
  void of_anything_isNormalOnce(@ForAll("targets") String target) {
    String once = NormalPath.of(target);
    assertThat(NormalPath.of(once)).isEqualTo(once);
    assertThat(once).startsWith("/");
    String path = once.indexOf('?') < 0 ? once : once.substring(0, once.indexOf('?'));
    assertThat(path + "/").doesNotContain("//x", "/./", "/../").doesNotMatch(".*//.+");
  }

  @Provide
  Arbitrary<String> targets() {
    return Arbitraries.strings().withChars("/.%?#2eEfF6cax\u00e9").ofMaxLength(24);
  }
}
