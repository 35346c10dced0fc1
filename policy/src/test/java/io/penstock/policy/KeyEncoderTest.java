package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.address.IpAddress;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class KeyEncoderTest {
  private static final Attribute USER = Attribute.parse("user_id");
  private static final Attribute API_KEY = Attribute.parse("header:X-Api-Key");

  /** One part of a key: an attribute and its value, or null for a missing one. */
  private record Part(String attribute, String value) {}

  @Test
  void key_ofPlainValues_isReadable() {
    assertThat(key(null, new Part("user_id", "42"), new Part("path", "/search")))
        .isEqualTo("user_id=42&path=/search");
    assertThat(key(null, new Part("user_id|ip:address", null))).isEqualTo("user_id|ip:address");
  }

  @Property
  void key_ofAnAddress_isThatOfItsSubscriber(@ForAll long high, @ForAll long low, @ForAll int v4) {
    assertKeyOf(new IpAddress(high, low));
    assertKeyOf(new IpAddress(0, 0xffffL << 32 | Integer.toUnsignedLong(v4)));
  }

  private static void assertKeyOf(IpAddress address) {
    Attribute attribute = Attribute.parse("ip:address");
    KeyEncoder encoder = new KeyEncoder(null);
    encoder.begin();
    encoder.add(USER, "42");
    encoder.add(attribute, address);
    assertThat(encoder.end())
        .isEqualTo(
            key(null, new Part("user_id", "42"), new Part("ip:address", address.subscriber(64))));
  }

  @Test
  void key_ofPrivateValues_holdsOnlyTheirHash() {
    for (String attribute : List.of("header:authorization", "cookie:sid", "query:token")) {
      String key = key(null, new Part(attribute, "s3cret"));
      assertThat(key).startsWith(attribute + "=#").doesNotContain("s3cret").hasSizeLessThan(64);
    }
  }

  @Test
  void key_ofPrivateValues_isKnownAndDependsOnTheSecret() {
    Part part = new Part("header:x-api-key", "abc");
    // printf '\0a\0b\0c' | sha256sum, and the same as HMAC, 16 bytes as base64url
    assertThat(key(null, part)).isEqualTo("header:x-api-key=#4mXpjJNP8f99VTWe7UhMRQ");
    assertThat(key("one", part)).isNotEqualTo(key(null, part)).isNotEqualTo(key("two", part));
    assertThat(key("one", part)).isEqualTo(key("one", part));
  }

  @Test
  void key_ofLongValues_isShort() {
    String key = key(null, new Part("user_id", "u".repeat(65)));
    assertThat(key).startsWith("user_id=#").hasSize("user_id=#".length() + 22);
    Part[] many = new Part[8];
    for (int i = 0; i < many.length; i++) {
      many[i] = new Part("a" + i, "\u4e2d".repeat(64));
    }
    assertThat(key(null, many)).startsWith("#").hasSize(23);
  }

  @Test
  void key_ofPunctuation_isEscaped() {
    assertThat(key(null, new Part("user_id", "a&b=c#{d}%")))
        .isEqualTo("user_id=a%26b%3Dc%23%7Bd%7D%25");
    assertThat(key(null, new Part("user_id", "\u00e9\ud800"))).isEqualTo("user_id=%E9%uD800");
  }

  @Property(tries = 2_000)
  void key_ofDifferentParts_differs(
      @ForAll("parts") List<Part> some, @ForAll("parts") List<Part> others) {
    String one = key(null, some.toArray(Part[]::new));
    String other = key(null, others.toArray(Part[]::new));
    assertThat(one.equals(other)).isEqualTo(some.equals(others));
    assertThat(one.length()).isLessThanOrEqualTo(512);
  }

  @Provide
  Arbitrary<List<Part>> parts() {
    Arbitrary<String> attribute = Arbitraries.of("a", "b", "a&b", "a=b", "header:a", "path");
    Arbitrary<String> value =
        Arbitraries.oneOf(
            Arbitraries.strings()
                .withChars("ab&=#%|{}\u00e9\u4e2d\ud800")
                .ofMinLength(1)
                .ofMaxLength(4),
            Arbitraries.strings().ofMinLength(60).ofMaxLength(70),
            Arbitraries.just(null));
    return Combinators.combine(attribute, value).as(Part::new).list().ofMinSize(1).ofMaxSize(3);
  }

  private static String key(String secret, Part... parts) {
    KeyEncoder encoder = new KeyEncoder(secret);
    encoder.begin();
    for (Part part : parts) {
      if (part.value() == null) {
        encoder.addMissing(KeyPart.parse(part.attribute()));
      } else {
        encoder.add(Attribute.parse(part.attribute()), part.value());
      }
    }
    return encoder.end();
  }

  @Test
  void attribute_ofAHeader_ignoresCase() {
    assertThat(API_KEY).isEqualTo(Attribute.parse("header:x-api-key"));
    assertThat(USER).isNotEqualTo(Attribute.parse("USER_ID"));
  }
}
