package io.penstock.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTokensTest {
  @Test
  void hashOf_token_isItsSha256() {
    assertThat(AccessTokens.hashOf("abc"))
        .isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "secret",
        "read:me",
        "admin:me:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "read:m e:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "read:me:ba78",
      })
  void parse_otherFormat_isRejectedWithoutQuotingIt(String list) {
    assertThatThrownBy(() -> AccessTokens.parse(list))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("must be role:name:hash as penstock token prints it, separated by commas");
  }
}
