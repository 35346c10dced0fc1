package io.penstock.bench.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkloadTest {
  private static final int CALLERS = 64;

  @Test
  void hotKey_isTheSameForAll() {
    assertThat(keys(Workload.HOT_KEY)).hasSize(1);
  }

  @Test
  void perUser_isDifferentForEach() {
    assertThat(keys(Workload.PER_USER)).hasSize(CALLERS);
  }

  @Test
  void manyKeys_areDistributed_lastHasMost() {
    assertThat(keys(Workload.MANY_KEYS)).hasSize(Workload.MANY);
    int last = Workload.MANY_KEYS.keysOf(CALLERS - 1, CALLERS).length;
    for (int caller = 0; caller < CALLERS; caller++) {
      assertThat(Workload.MANY_KEYS.keysOf(caller, CALLERS).length).isLessThanOrEqualTo(last);
    }
  }

  private static Set<String> keys(Workload workload) {
    Set<String> keys = new HashSet<>();
    for (int caller = 0; caller < CALLERS; caller++) {
      keys.addAll(List.of(workload.keysOf(caller, CALLERS)));
    }
    return keys;
  }
}
