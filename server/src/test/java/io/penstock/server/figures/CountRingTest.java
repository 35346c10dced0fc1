package io.penstock.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class CountRingTest {
  @Test
  void set_onlyZeros_takesNoMemory() {
    CountRing ring = new CountRing(900);
    for (int i = 0; i < 2_000; i++) {
      ring.set(i, 0);
    }
    assertThat(ring.memory()).isZero();
    assertThat(ring.get(1_500)).isZero();
  }

  @Test
  void set_largerCounts_widensAndKeepsTheOthers() {
    CountRing ring = new CountRing(10);
    ring.set(1, 255);
    assertThat(ring.memory()).isEqualTo(10);
    ring.set(2, 256);
    assertThat(ring.memory()).isEqualTo(20);
    ring.set(3, 65_535);
    assertThat(ring.memory()).isEqualTo(20);
    ring.set(4, 65_536);
    assertThat(ring.memory()).isEqualTo(40);
    ring.set(5, Long.MAX_VALUE);
    assertThat(new int[] {ring.get(1), ring.get(2), ring.get(3), ring.get(4), ring.get(5)})
        .containsExactly(255, 256, 65_535, 65_536, Integer.MAX_VALUE);
    assertThat(ring.get(0)).isZero();
  }

  @Test
  void get_randomCounts_returnsTheLatestOfEachSlot() {
    Random random = new Random(1);
    CountRing ring = new CountRing(7);
    long[] expected = new long[7];
    for (int i = 0; i < 10_000; i++) {
      int value = random.nextInt(1 << random.nextInt(31));
      ring.set(i, value);
      expected[i % 7] = value;
      int back = i - random.nextInt(7);
      assertThat(ring.get(back)).isEqualTo((int) expected[Math.floorMod(back, 7)]);
    }
  }
}
