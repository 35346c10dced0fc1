package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.ExplicitRequest;
import io.penstock.policy.Outcome;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.load.LoadedPolicy;
import io.penstock.policy.load.PolicyLoader;
import io.penstock.policy.load.Problem;
import io.penstock.policy.migration.ImportedPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnvoyImportTest {
  @TempDir private Path folder;

  @Test
  void of_configuration_isAPolicyWithComments() throws IOException {
    ImportedPolicy imported =
        imported(
            """
            domain: shop
            descriptors:
              - key: plan
                rate_limit: {unit: minute, requests_per_unit: 5}
              - key: plan
                value: "pro \\"x\\""
                shadow_mode: true
                rate_limit: {unit: week, requests_per_unit: 50}
              - key: plan
                value: partner
              - key: path
                value: /files/*
                descriptors:
                  - key: remote_address
                    rate_limit: {unit: day, requests_per_unit: 0}
            """);

    assertThat(imported.problems()).isEmpty();
    assertThat(imported.policy())
        .isEqualTo(
            """
            # From %1$s, for envoyproxy/ratelimit.
            # Callers state the domain and the other attributes marked caller in each request.
            attributes:
              "domain": caller
              "plan": caller
            rules:
              # %1$s:5:5
              - name: "shop.plan_pro \\"x\\""
                limit_keys: []
                match: {domain: "shop", "plan": "pro \\"x\\""}
                group: "shop: plan"
                rate: 50/7d
                burst: 50
                mode: shadow
              # %1$s:9:5
              - name: "shop.plan_partner"
                limit_keys: []
                match: {domain: "shop", "plan": "partner"}
                group: "shop: plan"
                unlimited: true
              # %1$s:3:5
              - name: "shop.plan"
                limit_keys: ["plan"]
                match: {domain: "shop"}
                group: "shop: plan"
                rate: 5/min
                burst: 5
              # %1$s:14:9
              - name: "shop.path_/files/*.remote_address"
                limit_keys: ["path", "ip:address"]
                match: {domain: "shop", "path": "/files/*"}
                # Denies every request: none fits into the burst.
                rate: 0.001/d
                burst: 0.001
            """
                .formatted(folder.resolve("envoy.yaml")));
  }

  @Test
  void of_configuration_appliesTheSameLimits() throws IOException {
    ImportedPolicy imported =
        imported(
            """
            domain: shop
            descriptors:
              - key: plan
                rate_limit: {unit: minute, requests_per_unit: 5}
              - key: plan
                value: pro
                rate_limit: {unit: hour, requests_per_unit: 50}
              - key: plan
                value: partner
              - key: area
                value: cart
                descriptors:
                  - key: user
                    rate_limit: {unit: second, requests_per_unit: 7}
              - key: remote_address
                value: 10.0.0.0/8
                rate_limit: {unit: day, requests_per_unit: 70}
            """);
    LoadedPolicy loaded = PolicyLoader.parse(imported.policy(), "policy.yaml");

    assertThat(loaded.warnings()).isEmpty();
    assertThat(rules(loaded.policy(), "plan=pro")).containsExactly("shop.plan_pro");
    assertThat(rules(loaded.policy(), "plan=basic")).containsExactly("shop.plan");
    assertThat(rules(loaded.policy(), "plan=partner")).isEmpty();
    assertThat(rules(loaded.policy(), "area=cart")).isEmpty();
    assertThat(rules(loaded.policy(), "area=cart", "user=ann"))
        .containsExactly("shop.area_cart.user");
    assertThat(rules(loaded.policy(), "area=home", "user=ann")).isEmpty();
    assertThat(loaded.policy().rules())
        .extracting(rule -> rule.limits().toString())
        .contains("[7/s burst 7]", "[5/min burst 5]");
  }

  @Test
  void of_fixedWindows_areWindows() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("envoy.yaml"),
            """
            domain: shop
            descriptors:
              - {key: plan, rate_limit: {unit: minute, requests_per_unit: 5}}
              - {key: user, rate_limit: {unit: week, requests_per_unit: 50}}
              - {key: none, rate_limit: {unit: second, requests_per_unit: 0}}
            """);
    ImportedPolicy imported = EnvoyImport.of(List.of(file), true);

    assertThat(imported.problems()).isEmpty();
    assertThat(PolicyLoader.parse(imported.policy(), "policy.yaml").policy().rules())
        .extracting(rule -> rule.limits().toString())
        .containsExactly(
            "[5/min fixed window]", "[50/168h fixed window]", "[0.001/s fixed window]");
  }

  @Test
  void of_whatRulesCannotExpress_isReported() throws IOException {
    ImportedPolicy imported =
        imported(
            """
            domain: shop
            descriptors:
              - key: plan
                value: pro*
                rate_limit: {unit: hour, requests_per_unit: 1}
              - key: "a|b"
                rate_limit: {unit: hour, requests_per_unit: 1, name: one}
              - key: tenant
                quota_mode: true
                metadata: {a: b}
                rate_limit: {unit: hour, requests_per_unit: 1, replaces: [{name: one}]}
              - key: area
                value: cart
                descriptors:
                  - {key: user, value: ann, rate_limit: {unit: hour, requests_per_unit: 1}}
              - key: area
                descriptors:
                  - {key: user, rate_limit: {unit: hour, requests_per_unit: 2}}
            """);

    assertThat(imported.problems())
        .extracting(Problem::message)
        .containsExactly(
            "has no equivalent in a policy: its limits also apply to entries that match the"
                + " descriptor at "
                + folder.resolve("envoy.yaml")
                + ":12:5 and nothing nested in it",
            "has no equivalent in a policy: values of this attribute are compared literally: pro*",
            "has no equivalent in a policy: an attribute can't have this name: a|b",
            "has no equivalent in a policy: replaces: both limits apply, shop.tenant and the one it"
                + " replaces",
            "has no equivalent in a policy: quota_mode: the limit denies by itself: shop.tenant",
            "has no equivalent in a policy: metadata: shop.tenant");
    assertThat(PolicyLoader.parse(imported.policy(), "policy.yaml").policy().rules()).hasSize(3);
  }

  private ImportedPolicy imported(String config) throws IOException {
    return EnvoyImport.of(List.of(Files.writeString(folder.resolve("envoy.yaml"), config)), false);
  }

  /** Returns the rules that limit a request with these attributes. */
  private static List<String> rules(Policy policy, String... attributes) {
    ExplicitRequest.Builder request =
        ExplicitRequest.builder().attribute("domain", "shop").ip("192.0.2.1");
    for (String attribute : attributes) {
      String[] parts = attribute.split("=", 2);
      request.attribute(parts[0], parts[1]);
    }
    try (PolicyEngine engine = new PolicyEngine(InProcessStore.create(), policy)) {
      return engine.decide(request.build()).outcomes().stream()
          .map(Outcome::rule)
          .map(rule -> rule.name())
          .toList();
    }
  }
}
