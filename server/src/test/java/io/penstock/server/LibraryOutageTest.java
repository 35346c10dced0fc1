package io.penstock.server;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisObserver;
import io.penstock.redis.RedisStore;
import io.penstock.server.proxy.LoggedWarnings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A store that an application creates without an observer; located here because of Logback. */
class LibraryOutageTest {
  private static final String UNREACHABLE = "redis://user:hunter2@127.0.0.1:1";

  @Test
  void connect_redisUnavailable_isLogged() {
    try (LoggedWarnings log = new LoggedWarnings();
        RedisStore store = RedisStore.builder().connect(UNREACHABLE)) {
      await("unavailable").until(() -> store.outage().isPresent());
      await("logged").until(() -> !log.messages().isEmpty());
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith("Cannot connect to Redis at 127.0.0.1:1 (")
          .doesNotContain("hunter2");
    }
  }

  @Test
  void connect_redisUnavailableAndObserverNone_isNotLogged() {
    try (LoggedWarnings log = new LoggedWarnings();
        RedisStore store =
            RedisStore.builder()
                .observer(RedisObserver.NONE)
                .startTimeout(Duration.ofSeconds(1))
                .connect(UNREACHABLE)) {
      await("unavailable").until(() -> store.outage().isPresent());
      assertThat(log.messages()).isEmpty();
    }
  }
}
