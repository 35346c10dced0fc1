package io.penstock.policy.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JitterTest {
  /** Computed by another program: other nodes and versions have to agree. */
  @ParameterizedTest
  @CsvSource({
    "per-org-rps, org-abc, 60, 25",
    "per-org-rps, org-abd, 60, 18",
    "per-org-rps, org-abc, 1000, 25",
    "per-org-rps, org-abc, 3, 1",
    "per-org-rps, org-abc, 2, 0",
    "login, '', 60, 19",
    "a, b, 20, 9",
    "ab, '', 20, 2",
    "'', ab, 20, 9",
    "é, ключ, 60, 9",
  })
  void added_knownKeys_neverChanges(String rule, String key, long seconds, long added) {
    assertThat(Jitter.DEFAULT.added(seconds, rule, key)).isEqualTo(added);
  }

  @Property
  void added_anyWait_staysWithinShareAndCap(
      @ForAll @LongRange(min = 1, max = Long.MAX_VALUE / 1_000_000_000 + 1) long seconds,
      @ForAll @IntRange(max = 1_000) int share,
      @ForAll @IntRange(max = 86_400) int cap,
      @ForAll String rule,
      @ForAll String key) {
    long added = new Jitter(share, cap).added(seconds, rule, key);
    assertThat(added).isBetween(0L, Math.min(seconds * share / 1_000, cap));
  }

  @Property(tries = 100)
  void added_switchedOff_isNothing(@ForAll @LongRange(min = 1) long seconds, @ForAll String key) {
    assertThat(Jitter.NONE.added(seconds, "rule", key)).isZero();
    assertThat(new Jitter(0, 30).added(seconds, "rule", key)).isZero();
    assertThat(new Jitter(500, 0).added(seconds, "rule", key)).isZero();
  }

  @Test
  void added_manyKeys_spreadsEvenly() {
    assertEven(60, 30);
  }

  /** With a plain cap, nearly all clients would retry in the same second. */
  @Test
  void added_waitFarAboveTheCap_spreadsEvenlyStill() {
    assertEven(86_400, 30);
  }

  private static void assertEven(long wait, int values) {
    int keys = 30_000;
    int[] counts = new int[values];
    for (int i = 0; i < keys; i++) {
      counts[(int) Jitter.DEFAULT.added(wait, "per-user", "user-" + i)]++;
    }
    double expected = (double) keys / values;
    double chiSquared = 0;
    for (int count : counts) {
      chiSquared += (count - expected) * (count - expected) / expected;
    }
    // With 29 degrees of freedom, one even distribution in a thousand exceeds 58.
    assertThat(chiSquared).isLessThan(58);
  }

  @Test
  void constructor_outOfRange_isRejected() {
    assertThatThrownBy(() -> new Jitter(1_001, 30))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1001");
    assertThatThrownBy(() -> new Jitter(-1, 30)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Jitter(500, -1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Jitter(500, 86_401))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("86401");
  }
}
