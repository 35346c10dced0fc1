package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that can never apply. */
class PolicyLoaderReachTest {
  /** Returns the errors of two rules with these fields, in this order. */
  private static List<String> errors(String first, String second) {
    return Loading.errors(
        "rules:\n  - {name: a, rate: 1/s, "
            + first
            + "}\n  - {name: b, rate: 1/s, "
            + second
            + "}\n");
  }

  @Test
  void parse_generalRuleFirst_hidesTheOther() {
    assertThat(errors("limit_keys: [u]", "limit_keys: [u], match: {plan: pro}"))
        .containsExactly(
            "p.yaml:3:5: rules[1]: b can never apply: a, at p.yaml:2:5, matches all of its requests"
                + " first; move this rule before it");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "limit_keys: [u]; limit_keys: [u]",
        "limit_keys: [u], match: {plan: [a, b]}; limit_keys: [u], match: {plan: b}",
        "limit_keys: [u], match: {plan: a}; limit_keys: [u], match: {plan: a, tenant: t}",
        "limit_keys: [u], match: {tenant: t}; limit_keys: [u], match: {plan: a, tenant: t}",
        "limit_keys: [u], match: {path: /x, method: GET}; "
            + "limit_keys: [u], match: {method: get, path: [/x, /x]}",
        "group: g, limit_keys: [], match: {path: /a/*}; "
            + "group: g, limit_keys: [], match: {path: [/a/b, /a/c/*]}",
        "group: g, limit_keys: [], match: {path: [/z, '*.png']}; "
            + "group: g, limit_keys: [], match: {path: /a.png}",
        "group: g, limit_keys: [], match: {host: '*'}; group: g, limit_keys: [], match: {host: h}",
        "limit_keys: [u], match: {'ip:address': 10.0.0.0/8}; "
            + "limit_keys: [u], match: {'ip:address': [10.1.0.0/16, 10.2.0.0/16]}",
        "limit_keys: [u], mode: shadow; limit_keys: [u], mode: shadow",
        "group: g, limit_keys: [u]; group: g, limit_keys: [v], match: {u: x}",
        "group: g, limit_keys: [u|v]; group: g, limit_keys: [u]",
        "group: g, limit_keys: [u], on_missing_key: share; group: g, limit_keys: [v]",
        "group: g, limit_keys: []; group: g, limit_keys: [v]",
        "limit_keys: ['query:q']; limit_keys: ['query:q'], on_missing_key: deny"
      })
  void parse_coveredRule_isAnError(String first, String second) {
    assertThat(errors(first, second)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "limit_keys: [u]; limit_keys: [v]",
        "limit_keys: [u]; limit_keys: [u], match: {path: /x}",
        "limit_keys: [u], match: {plan: a}; limit_keys: [u], match: {plan: [a, b]}",
        "limit_keys: [u], match: {plan: a, tenant: t}; limit_keys: [u], match: {plan: a}",
        "limit_keys: [u], mode: shadow; limit_keys: [u]",
        "limit_keys: [u]; limit_keys: [u], mode: shadow",
        "limit_keys: [u], mode: off; limit_keys: [u]",
        "limit_keys: [u]; limit_keys: [u], mode: off",
        "limit_keys: [u], enforce_percent: 99; limit_keys: [u]",
        "limit_keys: [u]; limit_keys: [u], enforce_percent: 99",
        "limit_keys: [u], group: g; limit_keys: [u]",
        "limit_keys: [u], group: g; limit_keys: [u], group: h",
        "group: g, limit_keys: [u]; group: g, limit_keys: [v]",
        "group: g, limit_keys: [u]; group: g, limit_keys: [u], on_missing_key: share",
        "group: g, limit_keys: [u]; group: g, limit_keys: [u|v]",
        "group: g, limit_keys: [], match: {path: /a/*}; group: g, limit_keys: [], match: {path: /a}",
        "group: g, limit_keys: [], match: {path: /a/*}; "
            + "group: g, limit_keys: [], match: {path: [/a/b, /b]}",
        "limit_keys: [u], match: {'ip:address': 10.0.0.0/8}; "
            + "limit_keys: [u], match: {'ip:address': [10.1.0.0/16, 11.0.0.0/8]}"
      })
  void parse_ruleThatCanApply_isNotAnError(String first, String second) {
    assertThat(errors(first, second)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "case: insensitive; /Login; /login",
        "case: insensitive; /a/*; /A/b",
        "trailing_slash: strip; /login; /login/",
        "trailing_slash: strip; /a/*; /a",
        "trailing_dots: strip; /login; /login.",
        "encoded_slashes: decode; /a/b; /a%2Fb",
        "encoded_slashes: reject; /login; /log%69n"
      })
  void parse_sameOrNarrowerPathInAnotherSpelling_isAnError(
      String setting, String first, String second) {
    assertThat(
            Loading.errors(
                """
                paths: {%s}
                rules:
                  - {name: a, limit_keys: [], group: g, rate: 1/s, match: {path: "%s"}}
                  - {name: b, limit_keys: [], group: g, rate: 1/s, match: {path: "%s"}}
                """
                    .formatted(setting, first, second)))
        .singleElement()
        .asString()
        .contains("b can never apply: a, at p.yaml:3:5,");
  }

  @Test
  void parse_sameKeysAndPathsButForCase_areTiers() {
    String rules =
        """
        rules:
          - {name: a, limit_keys: [u], rate: 1/s, match: {path: /Login}}
          - {name: b, limit_keys: [u], rate: 1/s, match: {path: /login}}
        """;
    assertThat(Loading.errors("paths: {case: insensitive}\n" + rules)).hasSize(1);
    assertThat(Loading.errors(rules)).isEmpty();
  }

  @Test
  void parse_exemptPathInAnotherCase_isAnError() {
    assertThat(
            Loading.errors(
                """
                paths: {case: insensitive}
                exempt: [{match: {path: /Health}}]
                rules: [{name: a, limit_keys: [u], rate: 1/s, match: {path: /health}}]
                """))
        .singleElement()
        .asString()
        .contains("a can never apply: exempt[0]");
  }

  @Test
  void parse_unlimitedRuleFirst_hidesToo() {
    assertThat(
            Loading.errors(
                """
                rules:
                  - {name: a, limit_keys: [u], unlimited: true}
                  - {name: b, limit_keys: [u], rate: 1/s}
                """))
        .hasSize(1);
  }

  @Test
  void parse_shareRolledOutBehindBothKinds_isAnError() {
    assertThat(
            Loading.errors(
                """
                rules:
                  - {name: a, limit_keys: [u], rate: 1/s}
                  - {name: b, limit_keys: [u], rate: 1/s, mode: shadow}
                  - {name: c, limit_keys: [u], rate: 1/s, enforce_percent: 10}
                """))
        .singleElement()
        .asString()
        .contains("c can never apply");
  }

  @Test
  void parse_exemptRule_namesTheExemption() {
    assertThat(
            Loading.errors(
                """
                exempt:
                  - match: {plan: [staff, robot]}
                  - match: {"ip:address": 10.0.0.0/8}
                rules:
                  - {name: a, limit_keys: [u], rate: 1/s, match: {plan: staff, tenant: t}}
                  - {name: b, limit_keys: [u], rate: 1/s, match: {"ip:address": 10.1.1.1}}
                  - {name: c, limit_keys: [u], rate: 1/s, match: {plan: staff}, mode: off}
                  - {name: d, limit_keys: [u], rate: 1/s}
                """))
        .containsExactly(
            "p.yaml:5:5: rules[0]: a can never apply: exempt[0], at p.yaml:2:5, exempts all of"
                + " its requests",
            "p.yaml:6:5: rules[1]: b can never apply: exempt[1], at p.yaml:3:5, exempts all of"
                + " its requests");
  }

  @Test
  void tierGroup_routeInAnotherOrder_isTheSame() {
    List<Rule> rules =
        Loading.policy(
                """
                rules:
                  - {name: a, limit_keys: [u], rate: 1/s, match: {path: [/a, /b], method: [GET, PUT], plan: a}}
                  - {name: b, limit_keys: [u], rate: 1/s, match: {method: [PUT, GET], path: [/b, /a]}}
                  - {name: c, limit_keys: [u], rate: 1/s, match: {path: [/a, /b]}}
                """)
            .rules();

    assertThat(rules.get(0).tierGroup()).isEqualTo(rules.get(1).tierGroup());
    assertThat(rules.get(0).tierGroup()).isNotEqualTo(rules.get(2).tierGroup());
  }
}
