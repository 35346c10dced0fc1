package io.penstock.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which limit applies to a descriptor: the cases of envoyproxy/ratelimit and Envoy Gateway. */
class EnvoyConfigTest {
  private static final String LEVELS =
      """
      domain: shop
      descriptors:
        - key: area
          value: cart
          descriptors:
            - key: user
              rate_limit: {unit: second, requests_per_unit: 5}
            - key: user
              value: bot
              rate_limit: {unit: SECOND, requests_per_unit: 10}
        - key: plan
          rate_limit: {unit: Minute, requests_per_unit: 20}
        - key: plan
          value: pro
          rate_limit: {unit: minute, requests_per_unit: 30}
        - key: plan
          value: partner
        - key: region
          value: eu
          rate_limit: {unit: day, requests_per_unit: 15}
          descriptors:
            - key: city
              value: rome
              rate_limit: {unit: day, requests_per_unit: 25}
        - key: internal
          rate_limit: {unlimited: true}
      """;

  @Test
  void match_keyAndValue_precedeTheKeyAlone() {
    EnvoyConfig config = parse(LEVELS);

    assertThat(requests(config, "plan=pro")).isEqualTo(30);
    assertThat(requests(config, "plan=basic")).isEqualTo(20);
    assertThat(requests(config, "area=cart", "user=bot")).isEqualTo(10);
    assertThat(requests(config, "area=cart", "user=ann")).isEqualTo(5);
  }

  @Test
  void match_entryWithoutLimit_isNotLimited() {
    assertThat(find(parse(LEVELS), "plan=partner")).isEmpty();
  }

  @Test
  void match_otherDepth_isNotLimited() {
    EnvoyConfig config = parse(LEVELS);

    assertThat(find(config, "area=cart")).isEmpty();
    assertThat(find(config, "plan=pro", "user=ann")).isEmpty();
    assertThat(find(config, "user=ann")).isEmpty();
    assertThat(find(config)).isEmpty();
  }

  @Test
  void match_limitsOnTwoLevels_theDepthOfTheRequestDecides() {
    EnvoyConfig config = parse(LEVELS);

    assertThat(requests(config, "region=eu")).isEqualTo(15);
    assertThat(requests(config, "region=eu", "city=rome")).isEqualTo(25);
    assertThat(find(config, "region=eu", "city=oslo")).isEmpty();
  }

  @Test
  void match_unlimited_isKnown() {
    assertThat(find(parse(LEVELS), "internal=any"))
        .hasValueSatisfying(match -> assertThat(match.limit().isUnlimited()).isTrue());
  }

  @Test
  void match_unknownDomain_isNotLimited() {
    assertThat(parse(LEVELS).match("other", List.of(new DescriptorEntry("plan", "pro")))).isEmpty();
  }

  @Test
  void match_wildcards_applyInTheOrderOfTheFile() {
    EnvoyConfig config =
        parse(
            """
            domain: shop
            descriptors:
              - {key: path, value: /a*, rate_limit: {unit: hour, requests_per_unit: 1}}
              - {key: path, value: /a/*/c, rate_limit: {unit: hour, requests_per_unit: 2}}
              - {key: path, value: /b/*/c/*/d, rate_limit: {unit: hour, requests_per_unit: 3}}
              - {key: path, value: /a/x/c, rate_limit: {unit: hour, requests_per_unit: 4}}
              - {key: path, rate_limit: {unit: hour, requests_per_unit: 5}}
            """);

    assertThat(requests(config, "path=/a/b/c")).isEqualTo(1);
    assertThat(requests(config, "path=/a")).isEqualTo(1);
    assertThat(requests(config, "path=/a/x/c")).isEqualTo(4);
    assertThat(requests(config, "path=/b/1/c/2/d")).isEqualTo(3);
    assertThat(requests(config, "path=/b/1/c/d")).isEqualTo(5);
    assertThat(requests(config, "path=/b/c/d")).isEqualTo(5);
  }

  @Test
  void wildcard_literals_mustNotOverlap() {
    assertThat(Wildcard.parse("ab*ba").matches("aba")).isFalse();
    assertThat(Wildcard.parse("ab*ba").matches("abba")).isTrue();
    assertThat(Wildcard.parse("a*b*b").matches("ab")).isFalse();
    assertThat(Wildcard.parse("a**b").matches("ab")).isTrue();
    assertThat(Wildcard.parse("*").matches("")).isTrue();
  }

  @Test
  void match_firstMatch_isNotGivenUpForADeeperOne() {
    EnvoyConfig config =
        parse(
            """
            domain: shop
            descriptors:
              - key: area
                value: cart
                descriptors:
                  - {key: user, value: ann, rate_limit: {unit: hour, requests_per_unit: 1}}
              - key: area
                descriptors:
                  - {key: user, rate_limit: {unit: hour, requests_per_unit: 2}}
            """);

    assertThat(find(config, "area=cart", "user=bob")).isEmpty();
    assertThat(requests(config, "area=home", "user=bob")).isEqualTo(2);
  }

  @Test
  void match_buckets_areThoseOfTheVariableValues() {
    EnvoyConfig config =
        parse(
            """
            domain: shop
            descriptors:
              - key: area
                value: cart
                descriptors:
                  - {key: user, rate_limit: {unit: hour, requests_per_unit: 1}}
              - key: file
                value: own/*
                rate_limit: {unit: hour, requests_per_unit: 2}
              - key: file
                value: shared/*
                share_threshold: true
                descriptors:
                  - key: file
                    value: sub/*
                    share_threshold: true
                    rate_limit: {unit: hour, requests_per_unit: 3}
            """);

    assertThat(variables(config, "area=cart", "user=ann")).containsExactly("ann");
    assertThat(variables(config, "file=own/a")).containsExactly("own/a");
    assertThat(variables(config, "file=shared/a", "file=sub/b")).isEmpty();
  }

  @Test
  void match_bareKeyAsKeyAndValue_asInTheReference() {
    EnvoyConfig config =
        parse(
            """
            domain: shop
            descriptors:
              - {key: generic_key_cart, rate_limit: {unit: hour, requests_per_unit: 1}}
            """);

    assertThat(requests(config, "generic_key=cart")).isEqualTo(1);
    assertThat(variables(config, "generic_key=cart")).containsExactly("generic_key_cart");
    assertThat(variables(config, "generic_key_cart=x")).containsExactly("x");
  }

  @Test
  void load_formOfAControlPlane_isAccepted() {
    EnvoyConfig config =
        parse(
            """
            name: listener
            domain: listener
            descriptors:
              - key: route
                value: route
                rate_limit: null
                descriptors:
                  - key: rule-0-match-0
                    value: ""
                    rate_limit:
                      requests_per_unit: 5
                      unit: MONTH
                      unlimited: false
                      name: ""
                      replaces: []
                    descriptors: []
                    shadow_mode: false
                    quota_mode: false
                    detailed_metric: false
                    value_to_metric: false
                    share_threshold: false
                shadow_mode: true
            """);

    assertThat(config.warnings()).isEmpty();
    assertThat(requests(config, "route=route", "rule-0-match-0=1.2.3.4")).isEqualTo(5);
    assertThat(find(config, "route=route", "rule-0-match-0=1.2.3.4"))
        .hasValueSatisfying(
            match -> {
              assertThat(match.limit().unit()).isEqualTo(LimitUnit.MONTH);
              assertThat(match.limit().mode().shadow()).isFalse();
              assertThat(match.limit().name()).isEqualTo("listener.route_route.rule-0-match-0");
            });
  }

  @Test
  void load_limitsThatLookTheSame_haveRulesOfTheirOwn() {
    EnvoyConfig config =
        parse(
            """
            domain: shop
            descriptors:
              - {key: a.b, rate_limit: {unit: hour, requests_per_unit: 1}}
              - key: a
                descriptors:
                  - {key: b, rate_limit: {unit: hour, requests_per_unit: 2}}
            """);

    assertThat(config.limits()).extracting(DescriptorLimit::name).doesNotHaveDuplicates();
  }

  @Test
  void load_fieldsInTheWrongPlace_areReported() {
    EnvoyConfig config =
        parse(
            """
            domain: shop
            descriptors:
              - key: user
                name: people
                rate_limit: {unit: hour, requests_per_unit: 1, shadow_mode: true}
              - key: tenant
                detailed_metric: true
                rate_limit:
                  unit: hour
                  requests_per_unit: 4294967295
                  replaces: [{name: gone}]
            """);

    assertThat(config.warnings())
        .extracting(Problem::toString)
        .containsExactly(
            "c.yaml:4:11: warning: descriptors[0].name: has no effect here; it belongs to rate_limit",
            "c.yaml:5:65: warning: descriptors[0].rate_limit.shadow_mode: has no effect here; it"
                + " belongs to a descriptor",
            "c.yaml:10:26: warning: descriptors[1].rate_limit.requests_per_unit: is treated as"
                + " 1000000000: 4294967295",
            "c.yaml:11:18: warning: descriptors[1].rate_limit.replaces[0].name: replaces a limit"
                + " that doesn't exist: gone");
  }

  @Test
  void load_domainWithoutLimits_isReported() {
    assertThat(parse("domain: shop\ndescriptors:\n").warnings())
        .extracting(Problem::toString)
        .containsExactly("c.yaml:1:1: warning: limits no request of the domain shop");
  }

  private static EnvoyConfig parse(String text) {
    return EnvoyConfigLoader.parse(text, "c.yaml");
  }

  private static Optional<DescriptorMatch> find(EnvoyConfig config, String... entries) {
    List<DescriptorEntry> all = new ArrayList<>();
    for (String entry : entries) {
      String[] parts = entry.split("=", 2);
      all.add(new DescriptorEntry(parts[0], parts[1]));
    }
    String domain = config.domains().keySet().iterator().next();
    return config.match(domain, all);
  }

  private static long requests(EnvoyConfig config, String... entries) {
    return find(config, entries).orElseThrow().limit().requestsPerUnit();
  }

  private static List<String> variables(EnvoyConfig config, String... entries) {
    return find(config, entries).orElseThrow().variables();
  }
}
