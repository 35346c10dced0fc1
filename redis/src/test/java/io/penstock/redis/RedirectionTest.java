package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.api.Test;

class RedirectionTest {
  private static final ServerAddress SOURCE = new ServerAddress("10.0.0.1", 7000);

  private static Redirection of(String message) {
    return Redirection.of(new RedisCommandExecutionException(message), SOURCE);
  }

  @Test
  void of_moved_isPermanent() {
    assertThat(of("MOVED 3999 10.0.0.2:7001"))
        .isEqualTo(new Redirection(false, new ServerAddress("10.0.0.2", 7001)));
  }

  @Test
  void of_ask_isForOneRequest() {
    assertThat(of("ASK 3999 redis-2.internal:7001"))
        .isEqualTo(new Redirection(true, new ServerAddress("redis-2.internal", 7001)));
  }

  @Test
  void of_ipv6_keepsItsColons() {
    assertThat(of("MOVED 1 fd00::12:7001"))
        .isEqualTo(new Redirection(false, new ServerAddress("fd00::12", 7001)));
  }

  @Test
  void of_noHost_usesTheRedirectingServer() {
    assertThat(of("MOVED 1 :7001"))
        .isEqualTo(new Redirection(false, new ServerAddress("10.0.0.1", 7001)));
  }

  @Test
  void of_anythingElse_isNull() {
    assertThat(of("MOVED 1 nowhere")).isNull();
    assertThat(of("READONLY You can't write against a read only replica.")).isNull();
    assertThat(Redirection.of(new IllegalStateException("MOVED 1 :7001"), SOURCE)).isNull();
  }

  @Test
  void isSlotError_errorOfOneSlot_doesNotAffectTheServer() {
    assertThat(Redirection.isSlotError(failure("TRYAGAIN Multiple keys request during rehashing")))
        .isTrue();
    assertThat(Redirection.isSlotError(failure("CLUSTERDOWN Hash slot not served"))).isTrue();
    assertThat(Redirection.isSlotError(failure("CLUSTERDOWN The cluster is down"))).isFalse();
    assertThat(Redirection.isSlotError(failure("OOM command not allowed"))).isFalse();
  }

  private static Throwable failure(String message) {
    return new RedisCommandExecutionException(message);
  }
}
