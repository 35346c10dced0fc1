package io.penstock.policy.jwt;

import static io.penstock.policy.jwt.RejectedTokens.MAX_MILLIS;
import static io.penstock.policy.jwt.TokenCheck.Result.EXPIRED;
import static io.penstock.policy.jwt.TokenCheck.Result.SIGNATURE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RejectedTokensTest {
  private static final int MANY = 30_000;
  private static final long NOW = 1_000_000;

  private final RejectedTokens tokens = new RejectedTokens();

  @Test
  void put_manyTokens_staysBounded() {
    List<RejectedTokens.Id> ids =
        IntStream.range(0, MANY).mapToObj(i -> tokens.id("token-" + i)).toList();
    for (RejectedTokens.Id id : ids) {
      tokens.put(id, SIGNATURE, KeySet.EMPTY, NOW);
      assertThat(tokens.get(id, KeySet.EMPTY, NOW)).isEqualTo(SIGNATURE);
    }

    assertThat(ids)
        .filteredOn(id -> tokens.get(id, KeySet.EMPTY, NOW) != null)
        .hasSizeBetween(RejectedTokens.SIZE / 2, RejectedTokens.SIZE);
  }

  @Test
  void get_sameToken_isTheLatestReason() {
    tokens.put(tokens.id("token"), SIGNATURE, KeySet.EMPTY, NOW);
    tokens.put(tokens.id("token"), EXPIRED, KeySet.EMPTY, NOW);

    assertThat(tokens.get(tokens.id("token"), KeySet.EMPTY, NOW)).isEqualTo(EXPIRED);
  }

  @Test
  void get_tokenThatWasNotRejected_isNone() {
    for (int i = 0; i < MANY; i++) {
      tokens.put(tokens.id("token-" + i), SIGNATURE, KeySet.EMPTY, NOW);
    }
    for (int i = 0; i < MANY; i++) {
      assertThat(tokens.get(tokens.id("other-" + i), KeySet.EMPTY, NOW)).isNull();
    }
  }

  @Test
  void get_afterTheMaxTime_isNone() {
    RejectedTokens.Id id = tokens.id("token");
    tokens.put(id, SIGNATURE, KeySet.EMPTY, NOW);

    assertThat(tokens.get(id, KeySet.EMPTY, NOW + MAX_MILLIS - 1)).isEqualTo(SIGNATURE);
    assertThat(tokens.get(id, KeySet.EMPTY, NOW + MAX_MILLIS)).isNull();
    assertThat(tokens.get(id, KeySet.EMPTY, NOW - 1)).as("after a clock step back").isNull();
  }

  @Test
  void get_underOtherKeys_isNone() {
    RejectedTokens.Id id = tokens.id("token");
    tokens.put(id, SIGNATURE, KeySet.EMPTY, NOW);
    KeySet others = KeySet.of(VerificationKey.of(new KeySource.Secret(SignedTokens.SECRET)));

    assertThat(tokens.get(id, others, NOW)).isNull();
    assertThat(tokens.get(id, KeySet.EMPTY, NOW)).isEqualTo(SIGNATURE);
  }

  @Test
  void id_inAnotherProcess_differs() {
    assertThat(tokens.id("token")).isEqualTo(tokens.id("token"));
    assertThat(tokens.id("token")).isNotEqualTo(new RejectedTokens().id("token"));
  }
}
