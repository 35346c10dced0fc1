package io.penstock.policy.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArrivalTraceTest {
  /** The last one doesn't fit into memory. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100_000, 2_000_000})
  void forEach_anyLength_returnsWhatWasAdded(int length) {
    try (ArrivalTrace trace = new ArrivalTrace()) {
      Random random = new Random(1);
      long[] times = new long[length];
      int[] keys = new int[length];
      long time = 1_760_000_000_000_000_000L;
      for (int i = 0; i < length; i++) {
        time += random.nextInt(1_000_000_000);
        times[i] = time;
        keys[i] = random.nextInt(i + 1);
        trace.add(keys[i], time);
      }
      trace.finish();

      // Several threads read the same file.
      IntStream.range(0, 4)
          .parallel()
          .forEach(
              thread -> {
                int[] count = {0};
                trace.forEach(
                    (key, at) -> {
                      if (key != keys[count[0]] || at != times[count[0]]) {
                        throw new AssertionError("differs at " + count[0]);
                      }
                      count[0]++;
                    });
                assertThat(count[0]).isEqualTo(length);
              });
    }
  }
}
