package io.penstock.redis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.RedisOutage;
import io.penstock.redis.UnavailableReason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OutageLogTest {
  private final List<String> lines = new ArrayList<>();
  private long nowNanos = Long.MAX_VALUE - 5;
  private final OutageLog log =
      new OutageLog(line -> lines.add("WARN " + line), lines::add, () -> nowNanos);

  private void fail(UnavailableReason reason) {
    log.unavailable(new RedisOutage(reason, "redis:6379", ""));
  }

  @Test
  void unavailable_first_logsAddressReasonAndConsequence() {
    fail(UnavailableReason.NOAUTH);

    assertThat(lines)
        .containsExactly(
            "WARN Cannot connect to Redis at redis:6379 (NOAUTH: the server requires a password,"
                + " and none is configured); rules fall back to their on_store_failure policy");
  }

  @Test
  void unavailable_shortOutagesWithinAMinute_areCounted() {
    log.available(true);
    for (int i = 0; i < 4; i++) {
      fail(UnavailableReason.TIMEOUT);
      log.available(true);
    }
    assertThat(lines).hasSize(3).startsWith("Redis is available");
    assertThat(lines.get(2)).isEqualTo("Redis at redis:6379 is available again after 0 ms");

    nowNanos += TimeUnit.MINUTES.toNanos(1);
    fail(UnavailableReason.TIMEOUT);

    assertThat(lines).hasSize(4);
    assertThat(lines.get(3)).endsWith(" policy (3 more outages since the last message)");
  }

  @Test
  void unavailable_oneShortOutageWithinAMinute_isCountedInTheSingular() {
    for (int i = 0; i < 2; i++) {
      fail(UnavailableReason.TIMEOUT);
      log.available(true);
    }
    nowNanos += TimeUnit.MINUTES.toNanos(1);
    fail(UnavailableReason.TIMEOUT);

    assertThat(lines.get(2)).endsWith(" policy (1 more outage since the last message)");
  }

  @Test
  void unavailable_lastingOutageWithinAMinute_isLoggedWithItsRecovery() {
    fail(UnavailableReason.TIMEOUT);
    log.available(true);
    fail(UnavailableReason.TIMEOUT);
    assertThat(lines).hasSize(2);

    for (int i = 0; i < 7; i++) {
      nowNanos += TimeUnit.SECONDS.toNanos(5);
      fail(UnavailableReason.TIMEOUT);
    }
    nowNanos += TimeUnit.SECONDS.toNanos(4);
    log.available(true);

    assertThat(lines.subList(2, lines.size()))
        .containsExactly(
            "WARN Redis at redis:6379 is unavailable (TIMEOUT: no response in time) for 5 s; rules"
                + " fall back to their on_store_failure policy",
            "Redis at redis:6379 is available again after 39 s");
  }

  @Test
  void unavailable_reasonsThatAlternate_areLoggedOnceEach() {
    for (int i = 0; i < 5; i++) {
      fail(UnavailableReason.DISCONNECTED);
      fail(UnavailableReason.CONNECTION_REFUSED);
      nowNanos += TimeUnit.SECONDS.toNanos(5);
    }

    assertThat(lines).hasSize(2);
  }

  @Test
  void available_addressUnknown_logsTheDuration() {
    log.unavailable(new RedisOutage(UnavailableReason.TIMEOUT, "", ""));
    nowNanos += TimeUnit.MINUTES.toNanos(3);
    log.available(true);

    assertThat(lines.get(1)).isEqualTo("Redis is available again after 3 min");
  }

  @Test
  void available_atTheStart_logsTheAddress() {
    log.connecting("redis:6379");
    log.available(true);

    assertThat(lines).containsExactly("Redis at redis:6379 is available");
  }

  @Test
  void unavailable_anotherReason_isLoggedAtOnce() {
    fail(UnavailableReason.DISCONNECTED);
    fail(UnavailableReason.CONNECTION_REFUSED);
    log.available(true);

    assertThat(lines).hasSize(3);
    assertThat(lines.get(1)).contains("(CONNECTION_REFUSED: ");
  }

  @Test
  void registrationRejected_logsErrorAndConsequence() {
    log.registrationRejected("ERR can't run this command", 1);

    assertThat(lines)
        .containsExactly(
            "WARN Cannot register this node in Redis (ERR can't run this command); while Redis is"
                + " unavailable, rules with share: true use 1/1 of their limits. Check the"
                + " permissions of the user, or set the number of nodes");
  }
}
