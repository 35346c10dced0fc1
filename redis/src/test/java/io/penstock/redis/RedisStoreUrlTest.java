package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisStoreUrlTest {
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:1", "localhost", "localhost:6379", ":secret@localhost", ""})
  void connect_urlWithoutScheme_namesTheSchemes(String url) {
    assertThatThrownBy(() -> RedisStore.connect(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the Redis URL must begin with redis://, rediss://, ")
        .hasMessageEndingWith("such as redis://localhost:6379");
    assertThatThrownBy(() -> RedisStore.checkUrl(url)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void checkUrl_knownSchemes_areAccepted() {
    assertThatNoException().isThrownBy(() -> RedisStore.checkUrl("redis://localhost"));
    assertThatNoException().isThrownBy(() -> RedisStore.checkUrl("rediss://u:p@localhost:1/2"));
    assertThatNoException().isThrownBy(() -> RedisStore.checkUrl("redis-cluster://a:1,b:2"));
  }
}
