package io.penstock.server.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.Fork;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Denials with made-up keys, ten million in the full build, in a JVM with a heap of 128 MiB. */
class FigureFloodTest {
  private static final long MEBIBYTE = 1 << 20;
  private static final int KEYS = Boolean.getBoolean("penstock.full") ? 10_000_000 : 300_000;

  @ParameterizedTest
  @CsvSource({"1, 24", "1000, 48"})
  void denied_manyKeys_usesBoundedMemory(int rules, int mebibytes) throws Exception {
    Fork flood =
        Fork.run("-Xmx128m", FigureFlood.class, Integer.toString(KEYS), Integer.toString(rules));
    assertThat(flood.figure("denied")).isEqualTo(KEYS);
    assertThat(flood.figure("counted")).isEqualTo(KEYS);
    assertThat(flood.figure("tracked")).isLessThanOrEqualTo(TopDenied.MAX_KEYS);
    assertThat(flood.figure("used")).isLessThan(mebibytes * MEBIBYTE);
  }
}
