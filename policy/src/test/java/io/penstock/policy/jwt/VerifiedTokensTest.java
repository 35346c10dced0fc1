package io.penstock.policy.jwt;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class VerifiedTokensTest {
  private static final TokenCheck CHECK = TokenCheck.accepted(Map.of("sub", "a"));

  private final VerifiedTokens tokens = new VerifiedTokens();

  @Test
  void put_manyTokens_staysBounded() {
    for (int i = 0; i < 30_000; i++) {
      tokens.put("token-" + i, KeySet.EMPTY, CHECK, 0, Double.POSITIVE_INFINITY);
      assertThat(tokens.size()).isLessThanOrEqualTo(VerifiedTokens.MAX_TOKENS);
    }
    assertThat(tokens.get("token-29999", KeySet.EMPTY, 0)).isSameAs(CHECK);
  }

  @Test
  void get_tokenThatIsUsed_staysAmongManyOthers() {
    tokens.put("used", KeySet.EMPTY, CHECK, 0, Double.POSITIVE_INFINITY);
    for (int i = 0; i < 30_000; i++) {
      tokens.put("token-" + i, KeySet.EMPTY, CHECK, 0, Double.POSITIVE_INFINITY);
      assertThat(tokens.get("used", KeySet.EMPTY, 0)).isSameAs(CHECK);
    }
  }

  @Test
  void get_underOtherKeys_isNone() {
    tokens.put("token", KeySet.EMPTY, CHECK, 0, Double.POSITIVE_INFINITY);
    KeySet others = KeySet.of(VerificationKey.of(new KeySource.Secret(SignedTokens.SECRET)));

    assertThat(tokens.get("token", others, 0)).isNull();
    assertThat(tokens.get("token", KeySet.EMPTY, 0)).isNotNull();
  }
}
