package io.penstock.policy.load;

import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;

/** Policies that contain every field and every enumerated value at least once. */
final class SchemaCorpus {
  static final String SECRET = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

  /** Complete policies. */
  static final List<String> POLICIES =
      List.of(
          """
          $schema: policy.schema.json
          mode: enforce
          key_secret: pepper
          client_address: {trusted_proxies: [10.0.0.0/8, "2001:db8::/32", 192.0.2.1], header: forwarded}
          jwt: {secret: %s, algorithms: [HS256, HS512], issuer: me, audience: [a, b], leeway_seconds: 0}
          exempt:
            - match: {"ip:address": [10.0.0.0/8], staff: true}
            - match: {path: /healthz}
          rules:
            - {name: a, description: for people, limit_keys: [user_id|ip:address], rate: 0.083/s}
            - {name: b, limit_keys: ["header:x"], match: {plan: [a, 7, true]}, rate: 5/s, burst: 9.5}
            - {name: c, limit_keys: [], group: g, unlimited: true, match: {host: "*.a.test"}}
            - {name: d, limit_keys: [x], group: g, limits: [{rate: 1/s}, {rate: 100/h, burst: 3}]}
          """
              .formatted(SECRET),
          """
          {"rules": [
            {"name": "enterprise", "limit_keys": ["header:x-api-key"], "algorithm": "token_bucket",
             "algorithm_config": {"rps": 1000, "burst": 2000}, "match": {"jwt:plan": "enterprise"}},
            {"name": "free", "limit_keys": ["header:x-api-key"], "algorithm": "token_bucket",
             "algorithm_config": {"tokens_per_second": 10, "burst": 20, "cost_source": "fixed",
             "fixed_cost": 1, "default_cost": 1, "min_cost": 0.5}}]}
          """,
          """
          jwt: {jwks_url: "https://id.example.com/keys", algorithms: RS256, refresh_seconds: 60, audience: a}
          client_address: {ipv6_prefix: 56}
          mode: shadow
          paths: {encoded_slashes: decode, parameters: keep, case: insensitive, trailing_dots: strip, trailing_slash: strip}
          exempt: []
          rules: [{name: r, limit_keys: [], algorithm: leaky_bucket, algorithm_config: {rps: 5}}]
          """,
          "{paths: {encoded_slashes: reject, parameters: strip, case: sensitive, trailing_dots: keep, trailing_slash: keep},"
              + " rules: [{name: r, limit_keys: [], rate: 5/s}]}",
          "{attributes: {user_id: 'jwt:sub | header:x-user', plan: caller}, jwt: trusted,"
              + " rules: [{name: r, limit_keys: [user_id], match: {plan: pro}, rate: 5/s}]}",
          "{paths: {encoded_slashes: keep}, rules: [{name: r, limit_keys: [], rate: 5/s}]}",
          "{jwt: trusted, mode: off, rules: [{name: 5, limit_keys: [5, true], rate: 5/s}]}",
          "{jwt: {secret: %s}, rules: [{name: r, limit_keys: [], rate: 5/s}]}".formatted(SECRET));

  /** Fields of a rule named r for all requests. */
  static final List<String> RULES =
      List.of(
          "rate: 5/s",
          "rate: 5 / 10 min",
          "rate: +5./010sec",
          "rate: .5/second",
          "rate: 5/m, burst: 0.001",
          "rate: 5/minute, burst: 5000",
          "rate: 5000/s, burst: 1e9",
          "rate: 5/h",
          "rate: 5/hour",
          "rate: 5/d",
          "rate: 5/day",
          "rate: 5/s, unlimited: false",
          "unlimited: true",
          "unlimited: true, mode: shadow, on_missing_key: skip, group: g, match: {}",
          "unlimited: true, enforce_percent: 5",
          "rate: 5/s, algorithm: token_bucket",
          "rate: 5/s, algorithm: leaky_bucket",
          "rate: 5/s, algorithm: leaky_bucket, on_limit: delay, max_delay_ms: 1",
          "rate: 5/s, algorithm: leaky_bucket, max_delay_ms: 600000, consistency: leased",
          "algorithm: fixed_window, limit: 5.5, window: 1s",
          "algorithm: sliding_window, limit: 5.5, window: 10 min",
          "algorithm: sliding_window_counter, limit: 5, window: 1h, on_limit: reject",
          "algorithm: sliding_log, limit: 5, window: 1d, consistency: auto",
          "algorithm: sliding_window_log, limit: 100000, window: 1s, consistency: exact",
          "algorithm: fixed_window, algorithm_config: {limit: 5, window: 1s}",
          "algorithm: sliding_log, algorithm_config: {limit: 5, window: 1s, fixed_cost: 2}",
          "algorithm_config: {rps: 0.5, burst: 1}, on_limit: delay, mode: shadow",
          "algorithm_config: {rps: 5, burst: 9, cost_source: 'query:w', fixed_cost: 3}",
          "limits: [{rate: 5/s}], cost_source: w, default_cost: 2, min_cost: 1",
          "limits: [{rate: 5/s}, {algorithm: token_bucket, rate: 9/h}], on_limit: delay",
          "limits: [{algorithm: sliding_log, limit: 9, window: 1h}], fixed_cost: 2",
          "rate: 5/s, fixed_cost: 0.0001",
          "rate: 5/s, cost_source: fixed, fixed_cost: 1e12",
          "rate: 5/s, cost_source: 'header:X-W', default_cost: 2, min_cost: 0.5",
          "rate: 5/s, cost_source: 7",
          "rate: 5/s, on_missing_key: share",
          "rate: 5/s, on_missing_key: deny",
          "rate: 5/s, on_repeated_key: deny",
          "rate: 5/s, on_repeated_key: first",
          "rate: 5/s, on_repeated_key: last",
          "unlimited: true, on_repeated_key: join",
          "rate: 5/s, on_store_failure: open",
          "rate: 5/s, on_store_failure: closed",
          "rate: 5/s, on_store_failure: local, consistency: leased",
          "rate: 5/s, mode: enforce, enforce_percent: 0",
          "rate: 5/s, manual: true, mode: shadow",
          "rate: 5/s, manual: false, group: g",
          "rate: 5/s, mode: off",
          "rate: 5/s, refund_on_upstream_error: true",
          "algorithm: fixed_window, limit: 5, window: 1s, refund_on_upstream_error: false",
          "algorithm: leaky_bucket, rate: 5/s, refund_on_upstream_error: true",
          "rate: 5/s, match: {path: [/a/*, '*.png'], method: get, host: [a.test, 7]}",
          "rate: 5/s, match: {' path ': /x, ' ip:address': '::1', 'a | jwt:b': 1.5}",
          "rate: 5/s, match: {'ip:address': ['::ffff:0.0.0.0/100', 0.0.0.0/0]}",
          "rate: 5/s, description: 7, $schema: {}");

  /** Fields of such a rule with structural errors. */
  static final List<String> BAD_RULES =
      List.of(
          "rate: 5",
          "rate: 5/",
          "rate: -5/s",
          "rate: 0.0/s",
          "rate: 5/0s",
          "rate: 5/ms",
          "rate: 1e3/s",
          "rate: 1..2/s",
          "rate: [5/s]",
          "rate: ~",
          "rate: 5/s, name: ~",
          "rate: 5/s, group: ''",
          "rate: 5/s, group: /g",
          "rate: 5/s, group: \"a\\\"b\"",
          "rate: 5/s, group: \"g\\n\"",
          "rate: 5/s, description: [no]",
          "rate: 5/s, bursts: 5",
          "rate: 5/s, burst: '5'",
          "rate: 5/s, burst: 0",
          "rate: 5/s, burst: 1000000001",
          "rate: 5/s, burst: ~",
          "burst: 5",
          "unlimited: false",
          "unlimited: yes, rate: 5/s",
          "unlimited: true, rate: 5/s",
          "unlimited: true, limits: [{rate: 5/s}]",
          "unlimited: true, algorithm_config: {rps: 5, burst: 9}",
          "unlimited: true, algorithm: token_bucket",
          "unlimited: true, fixed_cost: 5",
          "unlimited: true, cost_source: w",
          "unlimited: true, on_limit: reject",
          "unlimited: true, on_store_failure: open",
          "unlimited: true, consistency: exact",
          "unlimited: true, refund_on_upstream_error: false",
          "rate: 5/s, refund_on_upstream_error: yes please",
          "rate: 5/s, on_repeated_key: both",
          "algorithm: fixed_window, limit: 5, window: 1s, refund_on_upstream_error: true",
          "limits: [{algorithm: sliding_log, limit: 5, window: 1s}], refund_on_upstream_error:"
              + " true",
          "rate: 5/s, algorithm: token_buckets",
          "rate: 5/s, algorithm: fixed_window",
          "rate: 5/s, limit: 5",
          "rate: 5/s, window: 1s",
          "limit: 5, window: 1s",
          "algorithm: fixed_window, limit: 5",
          "algorithm: fixed_window, window: 5s",
          "algorithm: fixed_window, limit: 5, window: 5",
          "algorithm: fixed_window, limit: 5, window: 0s",
          "algorithm: fixed_window, limit: 5, window: 1s, burst: 5",
          "algorithm: sliding_log, limit: 100001, window: 1s",
          "algorithm: sliding_window_log, limit: 1.5, window: 1s",
          "algorithm: sliding_log, algorithm_config: {limit: 1.5, window: 1s}",
          "algorithm: leaky_bucket, rate: 5/s, burst: 2",
          "algorithm: leaky_bucket, rate: 5/s, on_limit: reject",
          "algorithm: leaky_bucket, algorithm_config: {rps: 5, burst: 9}",
          "algorithm: fixed_window, limit: 5, window: 1s, on_limit: delay",
          "algorithm: fixed_window, limit: 5, window: 1s, consistency: leased",
          "algorithm: fixed_window, algorithm_config: {limit: 5, window: 1s, rps: 5}",
          "algorithm: fixed_window, algorithm_config: {limit: 5}",
          "limits: [{algorithm: fixed_window, limit: 5, window: 1s}], on_limit: delay",
          "limits: [{rate: 5/s}, {algorithm: sliding_window, limit: 5, window: 1s}], consistency:"
              + " leased",
          "algorithm_config: {burst: 10}",
          "algorithm_config: {rps: 5}",
          "algorithm_config: {rps: 5, tokens_per_second: 5, burst: 10}",
          "algorithm_config: {rps: 0, burst: 10}",
          "algorithm_config: {rps: '5', burst: 10}",
          "algorithm_config: {rps: 1000000001, burst: 1e9}",
          "algorithm_config: {tokens_per_second: 0, burst: 10}",
          "algorithm_config: {tokens_per_second: 1000000001, burst: 1e9}",
          "algorithm_config: {rps: 5, burst: 10, limit: 10}",
          "algorithm_config: {rps: 5, burst: 10, rate: 5/s}",
          "algorithm_config: {rps: 5, burst: 10, cost_source: 'jwt:w'}",
          "algorithm_config: {rps: 5, burst: 10, default_cost: -1}",
          "algorithm_config: []",
          "algorithm_config: {rps: 5, burst: 10}, rate: 5/s",
          "algorithm_config: {rps: 5, burst: 10}, burst: 5",
          "algorithm_config: {rps: 5, burst: 10}, fixed_cost: 5",
          "algorithm_config: {rps: 5, burst: 10}, limits: [{rate: 5/s}]",
          "limits: []",
          "limits: [~]",
          "limits: {rate: 5/s}",
          "limits: [{}]",
          "limits: [{rate: 5/s, cost_source: w}]",
          "limits: [{algorithm: leaky_bucket, rate: 5/s}]",
          "limits: [{algorithm: fixed_window, limit: 0, window: 1s}]",
          "limits: [{algorithm: fixed_window, limit: 5, window: 0s}]",
          "limits: [{rate: 1/s}], burst: 5",
          "limits: [{rate: 1/s}], algorithm: token_bucket",
          "limits: [{rate: 1/s}], min_cost: 1",
          "rate: 5/s, fixed_cost: 0",
          "rate: 5/s, fixed_cost: 1e13",
          "rate: 5/s, cost_source: path",
          "rate: 5/s, cost_source: 'cookie:c'",
          "rate: 5/s, cost_source: 'a|b'",
          "rate: 5/s, cost_source: 'header:'",
          "rate: 5/s, cost_source: w, fixed_cost: 2",
          "rate: 5/s, cost_source: fixed, default_cost: 2",
          "rate: 5/s, min_cost: 2",
          "rate: 5/s, max_delay_ms: 5",
          "rate: 5/s, on_limit: reject, max_delay_ms: 5",
          "rate: 5/s, on_limit: delay, max_delay_ms: 0",
          "rate: 5/s, on_limit: delay, max_delay_ms: 600001",
          "rate: 5/s, on_limit: delay, max_delay_ms: 1.5",
          "rate: 5/s, on_limit: wait",
          "rate: 5/s, on_missing_key: ignore",
          "rate: 5/s, on_store_failure: shut",
          "rate: 5/s, consistency: loose",
          "rate: 5/s, mode: dry",
          "rate: 5/s, enforce_percent: 101",
          "rate: 5/s, enforce_percent: 0.5",
          "rate: 5/s, manual: yes",
          "rate: 5/s, manual: true, group: g",
          "rate: 5/s, mode: shadow, enforce_percent: 100",
          "rate: 5/s, mode: off, enforce_percent: 50",
          "rate: 5/s, match: [user]",
          "rate: 5/s, match: ~",
          "rate: 5/s, match: {user: ~}",
          "rate: 5/s, match: {user: []}",
          "rate: 5/s, match: {user: [[a]]}",
          "rate: 5/s, match: {user: {a: b}}",
          "rate: 5/s, match: {user: ['']}",
          "rate: 5/s, match: {path: login}",
          "rate: 5/s, match: {path: 7}",
          "rate: 5/s, match: {' path': login}",
          "rate: 5/s, match: {'ip:address': 10.0.0.0/33}",
          "rate: 5/s, match: {'ip:address': home}",
          "rate: 5/s, match: {'ip:addr': 10.0.0.0}",
          "rate: 5/s, match: {'user|path': /x}",
          "rate: 5/s, match: {'host|user': h}",
          "rate: 5/s, match: {'user|ip:address': 10.0.0.1}");

  /** Complete policies with structural errors. */
  static final List<String> BAD_POLICIES =
      List.of(
          "[]",
          "text",
          "{rules: {}}",
          "{rules: [7]}",
          "{rules: [{}]}",
          "{ruls: []}",
          "{mode: enforced}",
          "{mode: [off]}",
          "{mode: ~}",
          "{rules: [{name: r, rate: 5/s}]}",
          "{rules: [{limit_keys: [], rate: 5/s}]}",
          "{rules: [{name: r, limit_keys: user_id, rate: 5/s}]}",
          "{rules: [{name: r, limit_keys: [~], rate: 5/s}]}",
          "{rules: [{name: r, limit_keys: [[a]], rate: 5/s}]}",
          "{rules: [{name: r, limit_keys: [''], rate: 5/s}]}",
          "{rules: [{name: r, limit_keys: ['a||b'], rate: 5/s}]}",
          "{rules: [{name: r, limit_keys: ['ip:port'], rate: 5/s}]}",
          "{rules: [{name: r, limit_keys: [a, b, c, d, e, f, g, h, i], rate: 5/s}]}",
          "{rules: [{name: r, limit_keys: [], rate: 5/s, $schema: x}]}",
          "{rules: [{name: /r, limit_keys: [], rate: 5/s}]}",
          "{name: r, limit_keys: [], rate: 5/s, mode: off, exempt: []}",
          "{name: r, limit_keys: [], rate: 5/s, rules: []}",
          "{key_secret: ''}",
          "{key_secret: [x]}",
          "{key_secret: a, key_secret_file: b}",
          "{exempt: {match: {a: b}}}",
          "{exempt: [{}]}",
          "{exempt: [{match: {}}]}",
          "{exempt: [{match: {a: b}, name: x}]}",
          "{client_address: peer}",
          "{client_address: {header: x-forwarded}}",
          "{client_address: {trusted_proxies: 10.0.0.0/8}}",
          "{client_address: {trusted_proxies: [me]}}",
          "{client_address: {trusted_proxies: [7]}}",
          "{client_address: {proxies: []}}",
          "{jwt: verified}",
          "{jwt: [trusted]}",
          "{jwt: true}",
          "{jwt: {}}",
          "{jwt: {issuer: x}}",
          "{jwt: {secret: a, jwks_file: b}}",
          "{jwt: {secret: ''}}",
          "{jwt: {public_key: 7}}",
          "{jwt: {jwks_url: 'ftp://x/y'}}",
          "{jwt: {secret: %s, isuer: y}}".formatted(SECRET),
          "{jwt: {secret: %s, refresh_seconds: 5}}".formatted(SECRET),
          "{jwt: {secret: %s, leeway_seconds: 3601}}".formatted(SECRET),
          "{jwt: {secret: %s, algorithms: []}}".formatted(SECRET),
          "{jwt: {secret: %s, algorithms: RS256}}".formatted(SECRET),
          "{jwt: {secret: %s, algorithms: none}}".formatted(SECRET),
          "{jwt: {secret: %s, audience: []}}".formatted(SECRET),
          "{jwt: {jwks_url: 'https://a/b', algorithms: [HS256]}}",
          "{jwt: {jwks_url: 'https://a/b', refresh_seconds: 0}}");

  /** Fields of a rule with errors that a schema can't express. */
  static final List<String> BEYOND_RULES =
      List.of(
          "algorithm_config: {rps: 5, burst: 4}",
          "rate: 1/s, burst: 400000000",
          "rate: 1000000001/s",
          "rate: 0.000000001/d",
          "rate: 1/s, burst: 0.0001",
          "rate: 1/s, burst: 1.00000000000000000000000000000000000000001",
          "algorithm: fixed_window, limit: 5, window: 4000d",
          "rate: 1/s, cost_source: w, default_cost: 2, min_cost: 3",
          "rate: 1/s, match: {'header:A': x, 'header:a': y}",
          "rate: 1/s, match: {'ip:address': '1::2::3'}",
          "rate: 1/s, match: {'ip:address': 10.0.0.5/8}",
          "rate: 1/s, match: {methods: GET}",
          "rate: 1/s, match: {method: FETCH}",
          "rate: 1/s, match: {path: '/users/\\d+'}",
          "rate: 1/s, match: {path: '/users/{id}'}");

  /** Complete policies with errors that a schema can't express. */
  static final List<String> BEYOND_POLICIES =
      List.of(
          "{}",
          "{rules: []}",
          "{name: r, limit_keys: [a, a|b], rate: 1/s}",
          "{name: r, limit_keys: ['jwt:sub'], rate: 1/s}",
          "{attributes: {w: 'header:x-w'}, rules: [{name: r, limit_keys: [], rate: 1/s, cost_source:"
              + " w}]}",
          "{rules: [{name: a, limit_keys: [], rate: 1/s}, {name: a, limit_keys: [u], rate: 1/s}]}",
          "{rules: [{name: a, limit_keys: [], rate: 1/s}, {name: b, limit_keys: [], rate: 2/s}]}",
          "{exempt: [{match: {a: b}}], rules: [{name: r, limit_keys: [], rate: 1/s, match: {a:"
              + " b}}]}",
          "{key_secret_file: nowhere}",
          "{jwt: {secret: short}}",
          "{jwt: {secret_file: nowhere}}",
          "{jwt: {public_key: none}}",
          "{jwt: {public_key_file: nowhere}}",
          "{jwt: {jwks_file: nowhere}}",
          "{jwt: {jwks_url: 'https://a b'}}",
          "{jwt: {jwks_url: 'https://a_b'}}");

  private static final String PUBLIC_KEY = newPublicKey();

  private SchemaCorpus() {}

  /** Returns a P-256 key in PEM format, in quotes. */
  static String publicKey() {
    return PUBLIC_KEY;
  }

  private static String newPublicKey() {
    try {
      KeyPairGenerator keys = KeyPairGenerator.getInstance("EC");
      keys.initialize(new ECGenParameterSpec("secp256r1"));
      byte[] key = keys.generateKeyPair().getPublic().getEncoded();
      String body = Base64.getMimeEncoder().encodeToString(key).replace("\r\n", "\\n");
      return "\"-----BEGIN PUBLIC KEY-----\\n" + body + "\\n-----END PUBLIC KEY-----\"";
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  static String policyOf(String rule) {
    return rule.contains("name:")
        ? "{limit_keys: [], " + rule + "}"
        : "{" + Loading.ofPlain(rule) + "}";
  }
}
