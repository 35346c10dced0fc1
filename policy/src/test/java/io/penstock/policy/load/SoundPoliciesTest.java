package io.penstock.policy.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies that resemble mistakes, but are none. */
class SoundPoliciesTest {
  private static final String RULE = "{name: r, limit_keys: ['ip:address'], rate: 1/s";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "path: '/odata/Products(1)'",
        "path: '/odata/Products(*)/Name'",
        "path: '/odata/$metadata'",
        "path: '/fhir/Patient/$everything'",
        "path: '/users/%24id'",
        "path: '/a%20b%7Cc%22'",
        "path: '/c++/a+b'",
        "path: '/a,b'",
        "path: '/index.*'",
        "path: '/.well-known/*'",
        "path: '/bücher/*'",
        "host: 'xn--bcher-kva.example'",
        "host: '*.example.com'",
        "host: 'my_host-1.local'",
        "host: '[2001:db8::1]'",
        "'header:x_plan.v1': gold",
        "'header:x-user': 'auth0|5f7c8ec7c33c6c004bbafe82'",
        "'header:user-agent': 'curl 8 (x; y)'",
        "'query:filter[a]': b",
        "'cookie:__Host-sid': '1|2'",
        "'jwt:sub': 'google|gold'",
        "'ip:address': [0.0.0.0/8, 10.0.0.0/8, '::1']"
      })
  void load_soundMatch_isNotWarnedOf(String match) {
    assertThat(Loading.warnings("{jwt: trusted, rules: [" + RULE + ", match: {" + match + "}}]}"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "client_address: {trusted_proxies: [10.0.0.0/8, 127.0.0.1, 'fd00::/8', 0.0.0.0/1]}",
        "exempt: [{match: {'ip:address': 0.0.0.0/1}}, {match: {'ip:address': [10.0.0.0/8, '::/1']}}]",
        "exempt: [{match: {'ip:address': 0.0.0.0/0, path: /health}}]",
        "exempt: [{match: {method: [GET, POST, PUT, DELETE]}}]",
        "exempt: [{match: {method: [GET, POST, PUT, DELETE, PATCH], path: /health}}]",
        "mode: shadow",
        "mode: enforce"
      })
  void load_soundSection_isNotWarnedOf(String section) {
    assertThat(Loading.warnings(section + "\nrules: [" + RULE + "}]")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mode: shadow", "manual: true", "enforce_percent: 1"})
  void load_rolloutOfTheOnlyRule_isNotWarnedOf(String rollout) {
    assertThat(Loading.warnings("rules: [" + RULE + ", " + rollout + "}]")).isEmpty();
  }
}
