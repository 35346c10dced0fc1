package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LimitTest {
  @ParameterizedTest
  @MethodSource
  void toString_anyLimit_isWrittenAsInPolicies(Limit limit, String text) {
    assertThat(limit).hasToString(text);
  }

  static Stream<Arguments> toString_anyLimit_isWrittenAsInPolicies() {
    return Stream.of(
        arguments(Limit.perMinute(5), "5/min burst 5"),
        arguments(Limit.perSecond(10).burst(50), "10/s burst 50"),
        arguments(Limit.perSecond(1e9).burst(1e9), "1000000000/s burst 1000000000"),
        arguments(Limit.perSecond(0.5).burst(2.5), "30/min burst 2.5"),
        arguments(Limit.perSecond(0.083), "0.083/s burst 1"),
        arguments(Limit.perHour(7), "7/h burst 7"),
        arguments(Limit.perDay(1), "1/d burst 1"),
        arguments(Limit.per(1, Duration.ofDays(30)), "0.000000385802469/s burst 1"),
        arguments(Limit.fixedWindow(100, Duration.ofMinutes(1)), "100/min fixed window"),
        arguments(
            Limit.slidingWindow(2.5, Duration.ofSeconds(10)), "2.5/10s sliding window counter"),
        arguments(Limit.slidingLog(3, Duration.ofSeconds(90)), "3/1m30s sliding window log"),
        arguments(Limit.fixedWindow(9, Duration.ofDays(2)), "9/48h fixed window"));
  }

  @Test
  void toString_limiter_containsNameAndLimit() {
    RateLimiter limiter = RateLimiter.inProcess("login", Limit.perMinute(5));
    assertThat(limiter).hasToString("RateLimiter login 5/min burst 5");
    assertThat(limiter.global()).hasToString("RateLimiter login 5/min burst 5 without keys");
  }
}
