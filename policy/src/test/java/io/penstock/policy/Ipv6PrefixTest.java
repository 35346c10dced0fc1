package io.penstock.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Ipv6PrefixTest {
  private static PolicyEngine engine(String section) {
    String yaml = section + "rules: [{name: r, limit_keys: ['ip:address'], rate: 1/h, burst: 1}]";
    return new PolicyEngine(
        InProcessStore.create(), PolicyLoader.parse(yaml, "policy.yaml").policy());
  }

  private static boolean isAllowed(PolicyEngine engine, String ip) {
    return engine.decide(ExplicitRequest.builder().ip(ip).build()).allowed();
  }

  @ParameterizedTest
  @CsvSource({
    "48, 2001:db8:1:ffff::1, false",
    "48, 2001:db8:2::1, true",
    "56, 2001:db8:1:ff::1, false",
    "56, 2001:db8:1:100::1, true",
    "64, 2001:db8:1::2, false",
    "64, 2001:db8:1:1::1, true",
    "128, 2001:db8:1::2, true",
    "128, 2001:db8:1::1, false",
  })
  void key_ipv6_countsByThePrefix(int prefix, String other, boolean allowed) {
    PolicyEngine engine = engine("client_address: {ipv6_prefix: " + prefix + "}\n");
    assertThat(isAllowed(engine, "2001:db8:1::1")).isTrue();
    assertThat(isAllowed(engine, other)).isEqualTo(allowed);
  }

  @Test
  void key_withoutAPrefix_isThe64() {
    PolicyEngine engine = engine("");
    assertThat(isAllowed(engine, "2001:db8:1::1")).isTrue();
    assertThat(isAllowed(engine, "2001:db8:1::2")).isFalse();
    assertThat(isAllowed(engine, "2001:db8:1:1::1")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"47", "129", "64.5", "wide"})
  void load_prefixOutOfRange_isAnError(String prefix) {
    assertThatThrownBy(() -> engine("client_address: {ipv6_prefix: " + prefix + "}\n"))
        .isInstanceOf(PolicyException.class)
        .hasMessageContaining("client_address.ipv6_prefix");
  }
}
