package io.penstock.bench.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanTest {
  private static final CapacityFigures ROUND = new CapacityFigures(5, 0.01, 200, 10, 1, 20, 50);

  @Test
  void plan_distinctKeys_scalesWithDecisions() {
    Plan plan = Plan.of(new Demand(400_000, 1e6, 0, 0), ROUND);

    assertThat(plan.redisCores()).isEqualTo(2.0);
    assertThat(plan.shards()).isEqualTo(4);
    assertThat(plan.gigabytes()).isEqualTo(0.2);
    assertThat(plan.libraryCores()).isEqualTo(8.0);
    assertThat(plan.serviceCores()).isEqualTo(24.0);
  }

  @Test
  void plan_leasedKeys_needRedisOnlyForTheRest() {
    Plan plan = Plan.of(new Demand(1e6, 1e6, 90, 0), ROUND);

    assertThat(plan.redisCores()).isEqualTo(0.509);
    assertThat(plan.shards()).isEqualTo(2);
  }

  @Test
  void plan_cachedDenials_needNoRedis() {
    Plan plan = Plan.of(new Demand(1e6, 0, 0, 100), ROUND);

    assertThat(plan.redisCores()).isZero();
    assertThat(plan.shards()).isEqualTo(1);
    assertThat(plan.libraryCores()).isEqualTo(2.0);
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 1, 0, 0",
    "1, -1, 0, 0",
    "1, 1, 101, 0",
    "1, 1, 60, 60",
    "1, 1, -1, 0",
    "NaN, 1, 0, 0"
  })
  void demand_outOfRange_isRejected(
      double decisions, double keys, double leased, double cachedDenials) {
    assertThatThrownBy(() -> new Demand(decisions, keys, leased, cachedDenials))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void page_table_matchesTheProgram() throws IOException {
    assertThat(Files.readString(Path.of("..", "docs", "capacity.md")))
        .contains(Capacity.table().markdown());
  }
}
