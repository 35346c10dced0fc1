package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import org.junit.jupiter.api.Test;

class RedirectionTest {
  private static final ServerAddress ASKED = new ServerAddress("10.0.0.1", 7000);

  private static Redirection of(String message) {
    return Redirection.of(new RedisCommandExecutionException(message), ASKED);
  }

  @Test
  void of_moved_leadsThereForGood() {
    assertThat(of("MOVED 3999 10.0.0.2:7001"))
        .isEqualTo(new Redirection(false, new ServerAddress("10.0.0.2", 7001)));
  }

  @Test
  void of_ask_leadsThereOnce() {
    assertThat(of("ASK 3999 redis-2.internal:7001"))
        .isEqualTo(new Redirection(true, new ServerAddress("redis-2.internal", 7001)));
  }

  @Test
  void of_ipv6_keepsItsColons() {
    assertThat(of("MOVED 1 fd00::12:7001"))
        .isEqualTo(new Redirection(false, new ServerAddress("fd00::12", 7001)));
  }

  @Test
  void of_noHost_meansTheOneThatWasAsked() {
    assertThat(of("MOVED 1 :7001"))
        .isEqualTo(new Redirection(false, new ServerAddress("10.0.0.1", 7001)));
  }

  @Test
  void of_anythingElse_isNone() {
    assertThat(of("MOVED 1 nowhere")).isNull();
    assertThat(of("READONLY You can't write against a read only replica.")).isNull();
    assertThat(Redirection.of(new IllegalStateException("MOVED 1 :7001"), ASKED)).isNull();
  }

  @Test
  void isOfSlot_whatConcernsOneSlot_saysNothingOfTheServer() {
    assertThat(Redirection.isOfSlot(failure("TRYAGAIN Multiple keys request during rehashing")))
        .isTrue();
    assertThat(Redirection.isOfSlot(failure("CLUSTERDOWN Hash slot not served"))).isTrue();
    assertThat(Redirection.isOfSlot(failure("CLUSTERDOWN The cluster is down"))).isFalse();
    assertThat(Redirection.isOfSlot(failure("OOM command not allowed"))).isFalse();
  }

  private static Throwable failure(String message) {
    return new RedisCommandExecutionException(message);
  }
}
