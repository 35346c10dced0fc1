package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.redis.WindowGrants.Slice;
import org.junit.jupiter.api.Test;

class WindowGrantsTest {
  private final WindowGrants grants = new WindowGrants(10, 2);

  @Test
  void add_sameSlice_isSummed() {
    grants.add(1_000, 1);
    grants.add(1_009, 2);
    assertThat(grants.slices()).containsExactly(new Slice(1_000, 3));
  }

  @Test
  void add_nextSlices_keepsTheLast() {
    grants.add(1_000, 1);
    grants.add(1_010, 2);
    assertThat(grants.slices()).containsExactly(new Slice(1_000, 1), new Slice(1_010, 2));
    grants.add(1_020, 4);
    assertThat(grants.slices()).containsExactly(new Slice(1_010, 2), new Slice(1_020, 4));
    grants.add(1_050, 8);
    assertThat(grants.slices()).containsExactly(new Slice(1_050, 8));
  }

  @Test
  void add_previousSlice_isCountedThere() {
    grants.add(1_010, 2);
    grants.add(1_009, 1);
    assertThat(grants.slices()).containsExactly(new Slice(1_000, 1), new Slice(1_010, 2));
  }

  @Test
  void add_clockSteppedBack_startsOver() {
    grants.add(1_010, 2);
    grants.add(500, 1);
    assertThat(grants.slices()).containsExactly(new Slice(500, 1));
  }

  @Test
  void remove_sameSlice_returnsTheRest() {
    grants.add(1_000, 5);
    assertThat(grants.remove(1_009, 2)).isEqualTo(3);
    assertThat(grants.remove(1_009, 4)).isZero();
    assertThat(grants.slices()).isEmpty();
  }

  @Test
  void remove_nextSlice_changesNothing() {
    grants.add(1_000, 5);
    assertThat(grants.remove(1_010, 2)).isZero();
    assertThat(grants.slices()).containsExactly(new Slice(1_000, 5));
  }

  @Test
  void uncounted_countedTwice_isCountedOnce() {
    grants.addCountedTwice(3);
    assertThat(grants.uncounted(2)).isZero();
    assertThat(grants.uncounted(2)).isEqualTo(1);
    assertThat(grants.uncounted(2)).isEqualTo(2);
  }
}
