package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Policy;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RemovedRulesTest {
  private static Policy policy(int rules) {
    String list =
        IntStream.range(0, rules)
            .mapToObj(i -> "{name: r" + i + ", limit_keys: [k" + i + "], rate: 1/s}")
            .collect(Collectors.joining(", "));
    return PolicyLoader.parse("rules: [" + list + "]", "p.yaml").policy();
  }

  @Test
  void warning_prefixOfThePolicy_reportsHowMuchIsLeft() {
    assertThat(RemovedRules.warning(policy(40), policy(3)))
        .isEqualTo("the reload removed most rules (40 before, 3 now): is it complete?");
  }

  @ParameterizedTest
  @CsvSource({"40, 20", "1, 1", "2, 1", "3, 40"})
  void warning_mostRulesStay_isNull(int before, int after) {
    assertThat(RemovedRules.warning(policy(before), policy(after))).isNull();
  }
}
