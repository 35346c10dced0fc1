package io.penstock.inprocess;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * P7 at full size: a flood of made-up keys, ten million in the full build, in a JVM with a heap of
 * 512 MiB.
 */
class FloodTest {
  private static final long MEBIBYTE = 1 << 20;
  private static final String KEYS = Boolean.getBoolean("penstock.full") ? "10000000" : "2000000";

  @Test
  void flood_ofManyKeysAtACapOfOneMillion_usesConstantMemoryAndResetsNoKey() throws Exception {
    Fork flood = Fork.run("-Xmx512m", Flood.class, KEYS);
    assertThat(flood.figure("most")).isLessThanOrEqualTo(1_000_000);
    assertThat(flood.figure("kept")).isGreaterThan(990_000);
    assertThat(flood.figure("denied")).isEqualTo(1_000);
    assertThat(flood.figure("grown")).isLessThan(16 * MEBIBYTE);
    assertThat(flood.figure("used")).isLessThan(80 * MEBIBYTE);
  }
}
