package io.penstock.bench.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.local.Keys;
import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Outcome;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SyntheticPolicyTest {
  private static final int USERS = 600;

  @ParameterizedTest
  @ValueSource(ints = {10, 100, 1_000, 10_000})
  void of_anySize_hasThatManyRulesWithUniqueNames(int size) {
    assertThat(SyntheticPolicy.of(size).rules())
        .hasSize(size)
        .extracting(Rule::name)
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 100, 1_000})
  void of_anySize_threeRulesApplyToEachRequest(int size) {
    Policy policy = SyntheticPolicy.of(size);
    PolicyEngine engine = new PolicyEngine(InProcessStore.create(), policy);
    Set<String> applied = new HashSet<>();
    for (ExplicitRequest request :
        Callers.requests(Keys.inserted(USERS), SyntheticPolicy.tenants(size))) {
      List<String> names =
          engine.decide(request).outcomes().stream().map(Outcome::rule).map(Rule::name).toList();
      assertThat(names).hasSize(3).contains("global").containsAnyOf("search", "orders");
      applied.addAll(names);
    }
    assertThat(applied)
        .contains("search", "orders", "pro", "others", "global")
        .filteredOn(name -> name.startsWith("tenant-"))
        .hasSize(SyntheticPolicy.tenants(size));
  }
}
