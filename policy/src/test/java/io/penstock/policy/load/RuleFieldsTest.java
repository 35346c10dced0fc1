package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Policy;
import io.penstock.policy.http.Json;
import io.penstock.policy.http.PolicyJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every declared field is read, and the API shows it. */
class RuleFieldsTest {
  /** Rules that a field may need in order to have an effect. */
  private static final List<String> FORMS =
      List.of(
          "rate: 5/s",
          "rate: 5/s, cost_source: v",
          "rate: 5/s, cost_source: v, default_cost: 3",
          "rate: 5/s, on_limit: delay",
          "algorithm: fixed_window, limit: 5",
          "algorithm: fixed_window, window: 5s",
          "");

  static Stream<String> names() {
    return RuleFields.ALL.stream().map(RuleField::name);
  }

  @ParameterizedTest
  @MethodSource("names")
  void policyJson_fieldWithAnotherValue_showsIt(String name) {
    RuleField field =
        RuleFields.ALL.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    List<String> compared = new ArrayList<>();
    for (String form : FORMS) {
      for (String value : field.examples()) {
        String with = rule(form, name + ": " + value);
        String without = rule(form, "");
        if (!form.contains(name + ":") && Loading.errors(with).isEmpty()) {
          if (!Loading.errors(without).isEmpty() || !shown(with).equals(shown(without))) {
            return;
          }
          compared.add(with);
        }
      }
    }
    assertThat(compared).as("rules in which %s is not shown, or none", name).isNull();
  }

  @Test
  void all_names_areUniqueAndShownByAProperty() {
    Set<String> properties =
        RuleFields.ALL.stream()
            .map(RuleField::property)
            .filter(property -> property != null)
            .map(RuleField.Property::name)
            .collect(Collectors.toSet());

    assertThat(names()).doesNotHaveDuplicates();
    assertThat(RuleFields.ALL).extracting(RuleField::shownAs).isSubsetOf(properties);
  }

  private static String rule(String form, String more) {
    StringBuilder rule = new StringBuilder("{").append(form);
    for (String field : List.of(more, "name: n", "limit_keys: []")) {
      String name = field.substring(0, Math.max(0, field.indexOf(':')));
      if (!name.isEmpty() && !rule.toString().matches("(.*[ {])?" + name + ":.*")) {
        rule.append(rule.length() == 1 ? "" : ", ").append(field);
      }
    }
    return rule.append('}').toString();
  }

  private static String shown(String rule) {
    Policy policy = Loading.policy(rule);
    return new String(Json.bytes(json -> PolicyJson.write(policy, json)), StandardCharsets.UTF_8);
  }
}
