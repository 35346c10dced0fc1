package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OverviewTest {
  private static final Overview OVERVIEW =
      new Overview(
          List.of(
              Ratio.of("local.hot.bucket4j", new Estimate(2, 1.5, 3.5)),
              Ratio.of("http.proxy.nginx", new Estimate(0.6, 0.5, 0.7)),
              Ratio.of("spring.mvc.overhead", new Estimate(0.98, 0.95, 1.01)),
              Ratio.of("redis.hot.calls", new Estimate(0.1, 0.1, 0.11)),
              Ratio.of("growth.keys", 3)));

  @Test
  void summary_namesFasterAndSlowerPeersAndMissedTargets() {
    assertThat(OVERVIEW.summary())
        .isEqualTo(
            """
            **Penstock is faster than**

            - in process: Bucket4j, one key, 2 threads 2.00× (1.50..3.50)

            **Penstock is slower than**

            - over HTTP: nginx `limit_req` + `proxy_pass` 0.60× (0.50..0.70)

            **Within noise:** the same application without Penstock 0.98× (0.95..1.01)

            **Targets:** 2 of 4 are met. Missed: `local.hot.bucket4j` (2.00, target: at least 3), \
            `http.proxy.nginx` (0.60, target: at least 0.8).
            """);
  }

  @Test
  void targets_haveIntervalAndVerdict() {
    assertThat(OVERVIEW.targets().toString().lines())
        .anyMatch(
            line -> line.matches(".*local.hot.bucket4j .*2.00 +1.50..3.50 .*missed, uncertain"))
        .anyMatch(line -> line.matches(".*redis.hot.calls .*0.10 +0.10..0.11 +at most 0.2 +met"))
        .noneMatch(line -> line.contains("growth.keys"));
  }

  @Test
  void parse_ownTable_returnsTheRatios() {
    assertThat(Overview.parse(OVERVIEW.table()).ratios())
        .containsExactlyInAnyOrderElementsOf(OVERVIEW.ratios());
  }

  @Test
  void with_newRatios_replaceOlderOnes() {
    assertThat(OVERVIEW.with(List.of(Ratio.of("growth.keys", 4))).table())
        .contains("| `growth.keys` |  | 4.00 |  |  |  |")
        .doesNotContain("3.00 |");
  }

  @Test
  void definitions_areUnique() {
    Set<String> names = new HashSet<>();
    assertThat(RatioDefinition.ALL).allMatch(definition -> names.add(definition.name()));
  }
}
