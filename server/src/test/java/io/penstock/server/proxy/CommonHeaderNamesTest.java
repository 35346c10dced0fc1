package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommonHeaderNamesTest {
  private static @Nullable CharSequence find(String line, int start, int length) {
    return CommonHeaderNames.find(line.getBytes(US_ASCII), start, length);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ETag", "etag", "Content-Length", "content-length", "Last-Modified"})
  void find_commonName_returnsItAsTheOriginSentIt(String name) {
    CharSequence found = find("x" + name + ": 1", 1, name.length());
    assertThat(found).hasToString(name);
    assertThat(find(name, 0, name.length())).isSameAs(found);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "Dat", "DATE", "Content-length", "x-unknown-and-a-long-name"})
  void find_otherName_returnsNull(String name) {
    assertThat(find(name, 0, name.length())).isNull();
  }

  @Test
  void find_nameAtTheEndOfTheLine_doesNotReadBeyond() {
    assertThat(find("Date", 0, 3)).isNull();
    assertThat(find("XDate", 1, 4)).hasToString("Date");
  }
}
