package io.penstock.server.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyPatternTest {
  @ParameterizedTest
  @CsvSource({
    "user:{user_id}, user_id",
    "ip:{ip}, ip:address",
    "{tenant}:{user_id}, tenant;user_id",
    "key:{header:x-api-key}, header:x-api-key",
    "{user_id|ip}, user_id|ip:address",
  })
  void parse_keysInBraces_areLimitKeys(String pattern, String keys) {
    assertThat(KeyPattern.parse(pattern).keys()).containsExactly(keys.split(";"));
    assertThat(KeyPattern.parse(pattern).path()).isNull();
  }

  @Test
  void parse_endpoint_isOneBucketForAPath() {
    assertThat(KeyPattern.parse("endpoint:/api/search"))
        .isEqualTo(new KeyPattern(List.of(), "/api/search"));
    assertThat(KeyPattern.parse("global")).isEqualTo(new KeyPattern(List.of(), null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"user", "", "user:{}", "endpoint:/items/{id}", "{unfinished"})
  void parse_other_isRejected(String pattern) {
    assertThatThrownBy(() -> KeyPattern.parse(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(pattern);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"user_id", "ip:address", "tenant;user_id", "user_id|ip:address", "cookie:session"})
  void of_keys_roundTrips(String keys) {
    List<String> list = List.of(keys.split(";"));
    assertThat(KeyPattern.parse(KeyPattern.of(list)).keys()).isEqualTo(list);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ip", "header:x{y}", "user_id|ip"})
  void of_ambiguousKeys_isRejected(String key) {
    assertThatThrownBy(() -> KeyPattern.of(List.of(key)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
