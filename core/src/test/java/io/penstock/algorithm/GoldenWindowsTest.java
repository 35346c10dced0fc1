package io.penstock.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.algorithm.GoldenWindows.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** P11 for the window limits. */
class GoldenWindowsTest {
  @Test
  void window_onEveryTrace_givesTheGoldenAnswers() {
    List<Row> rows = GoldenWindows.read();
    assertThat(rows).hasSizeGreaterThan(500);
    Map<String, Window> windows = new HashMap<>();
    for (Row row : rows) {
      Window window =
          windows.computeIfAbsent(
              row.name(), name -> Window.of(row.windowLimit(), GoldenWindows.TICK_NANOS));
      assertThat(GoldenWindows.evaluate(row, window)).isEqualTo(row);
    }
  }
}
