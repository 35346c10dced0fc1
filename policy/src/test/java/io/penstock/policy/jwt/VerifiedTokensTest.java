package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VerifiedTokensTest {
  private static final Claims CLAIMS =
      new Claims(Map.of("sub", "a"), Double.POSITIVE_INFINITY, 0, List.of());

  private final VerifiedTokens tokens = new VerifiedTokens();

  @Test
  void put_manyTokens_staysBounded() {
    for (int i = 0; i < 10_000; i++) {
      tokens.put("token-" + i, KeySet.EMPTY, CLAIMS, 0, Double.POSITIVE_INFINITY);
      assertThat(tokens.size()).isLessThanOrEqualTo(1024);
    }
    assertThat(tokens.get("token-9999", KeySet.EMPTY, 0)).isEqualTo(CLAIMS.scalars());
  }

  @Test
  void get_underOtherKeys_isNone() {
    tokens.put("token", KeySet.EMPTY, CLAIMS, 0, Double.POSITIVE_INFINITY);
    KeySet others = KeySet.of(VerificationKey.of(new KeySource.Secret(Tokens.SECRET)));

    assertThat(tokens.get("token", others, 0)).isNull();
    assertThat(tokens.get("token", KeySet.EMPTY, 0)).isNotNull();
  }
}
