package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Policies with very many rules in one group. The timeout is not a benchmark: comparing all pairs
 * would take many times as long. The full build loads 100,000 rules.
 */
@Timeout(300)
class PolicyLoaderScaleTest {
  private static final int RULES = Boolean.getBoolean("penstock.full") ? 100_000 : 10_000;
  private static final int HIDING = RULES / 4 * 3;

  private static String json(IntFunction<String> match, String last) {
    return IntStream.range(0, RULES)
        .mapToObj(
            i ->
                "{\"name\":\"r%d\",\"limit_keys\":[\"u\"],\"group\":\"g\",\"rate\":\"5/s\",\"match\":{%s}}"
                    .formatted(i, match.apply(i)))
        .collect(Collectors.joining(",\n", "{\"rules\":[", last + "]}"));
  }

  @Test
  void parse_ruleForEachTenant_loads() {
    String text = json(i -> "\"tenant\":\"t" + i + "\"", "");

    assertThat(PolicyLoader.parse(text, "p.yaml").policy().rules()).hasSize(RULES);
  }

  @Test
  void parse_ruleForEachPath_loads() {
    String text = json(i -> "\"path\":\"/tenants/t" + i + "/things/*\"", "");

    assertThat(PolicyLoader.parse(text, "p.json").policy().rules()).hasSize(RULES);
  }

  @Test
  void parse_ruleForEachNetwork_loads() {
    String text =
        json(
            i -> "\"ip:address\":\"10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255) + "\"",
            "");

    assertThat(PolicyLoader.parse(text, "p.json").policy().rules()).hasSize(RULES);
  }

  @Test
  void parse_hiddenRuleAmongMany_isFound() {
    String hidden =
        ",\n{\"name\":\"late\",\"limit_keys\":[\"u\"],\"group\":\"g\",\"rate\":\"5/s\","
            + "\"match\":{\"tenant\":\"t%d\",\"plan\":\"pro\"}}".formatted(HIDING);
    String text = json(i -> "\"plan\":\"pro\",\"tenant\":\"t" + i + "\"", hidden);

    assertThatThrownBy(() -> PolicyLoader.parse(text, "p.json"))
        .hasMessageStartingWith(
            "p.json:%d:1: rules[%d]: late can never apply: r%d, at"
                .formatted(RULES + 1, RULES, HIDING));
  }
}
