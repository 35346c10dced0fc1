package io.penstock.policy.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.inprocess.InProcessStore;
import io.penstock.policy.Policy;
import io.penstock.policy.PolicyEngine;
import io.penstock.policy.load.PolicyLoader;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BucketKeyTest {
  private static final Policy POLICY =
      PolicyLoader.parse(
              """
              rules:
                - {name: user, limit_keys: [user_id, path], rate: 1/s}
                - {name: address, limit_keys: ["header:x-api-key|ip:address"], rate: 1/s}
                - {name: all, limit_keys: [], rate: 1/s}
              """,
              "policy.yaml")
          .policy();

  private final InProcessStore store = InProcessStore.builder().build();
  private final PolicyEngine engine = new PolicyEngine(store, POLICY);

  @AfterEach
  void close() {
    engine.close();
    store.close();
  }

  @ParameterizedTest
  @CsvSource({
    "user, user_id=7&path=/search",
    "user, user_id=a%26b+c%20d%25&path=/",
    "user, user_id=Jos%E9&path=/",
    "user, user_id=%u65E5%u672C%uD83D%uDE00%uD800&path=/",
    "address, ip:address=203.0.113.7",
    "address, ip:address=2001:db8:1:2::/64",
    "all, ''"
  })
  void parse_keyAsPrinted_selectsTheSameBucket(String rule, String key) {
    assertThat(BucketKey.parse(key).bucketsOf(rule, engine).orElseThrow().key()).isEqualTo(key);
  }

  @Test
  void of_values_selectTheSameBucketAsText() {
    assertThat(
            BucketKey.of(Map.of("user_id", "a b", "path", "/"))
                .bucketsOf("user", engine)
                .orElseThrow()
                .key())
        .isEqualTo("user_id=a%20b&path=/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"alice", "=alice", "user_id=7&", "{user_id: 7}"})
  void parse_anotherForm_isRejectedWithTheForm(String key) {
    assertThatThrownBy(() -> BucketKey.parse(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("key must have the form name=value&name=value");
  }

  @Test
  void parse_charactersThatNeedNoEscape_standForThemselves() {
    assertThat(
            BucketKey.parse("user_id=José日&path=/").bucketsOf("user", engine).orElseThrow().key())
        .isEqualTo("user_id=Jos%E9%u65E5&path=/");
  }

  @ParameterizedTest
  @CsvSource({
    "user_id=100%&path=/, key must have %25 in place of %: 100%",
    "user_id=%zz&path=/, key must have %25 in place of %: %zz",
    "user_id=a&user_id=b&path=/, key must have one value for user_id: user_id=a&user_id=b&path=/"
  })
  void parse_ambiguousText_isRejectedWithTheReason(String key, String reason) {
    assertThatThrownBy(() -> BucketKey.parse(key))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ip=1.2.3.4 | key must consist of the limit_keys of rule user, user_id, path: ip",
        "user_id=7 | path",
        "user_id=#AAAAAAAAAAAAAAAAAAAAAA&path=/ | user_id must be the value of the request, not its"
            + " hash"
      })
  void bucketsOf_wrongNamesOrValues_isRejectedWithTheReason(String key, String reason) {
    assertThatThrownBy(() -> BucketKey.parse(key).bucketsOf("user", engine))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void bucketsOf_keysOfARuleWithout_isRejected() {
    assertThatThrownBy(() -> BucketKey.parse("ip:address=1.2.3.4").bucketsOf("all", engine))
        .hasMessage("key must consist of the limit_keys of rule all, which has none: ip:address");
  }

  @Test
  void bucketsOf_mappedName_isRejectedWithTheSources() {
    assertThatThrownBy(() -> mapped(Map.of("user_id", "zoe")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "user_id is mapped, and each source has its own bucket; name the source: jwt:sub,"
                + " header:x-user, caller:user_id if the caller supplied it");
  }

  @ParameterizedTest
  @CsvSource({
    "jwt:sub, zoe, jwt:sub=zoe",
    "caller:user_id, zoe, user_id=zoe",
    "ip:address, 192.0.2.1, ip:address=192.0.2.1"
  })
  void bucketsOf_sourceOfAMappedName_selectsItsBucket(String name, String value, String key) {
    assertThat(mapped(Map.of(name, value))).isEqualTo(key);
  }

  @Test
  void parse_mappedNameAsPrinted_selectsTheSameBucket() {
    assertThat(mapped(BucketKey.parse("user_id=zoe"))).isEqualTo("user_id=zoe");
  }

  @Test
  void of_sameAttributeTwice_isRejected() {
    assertThatThrownBy(() -> BucketKey.of(Map.of("user_id", "a", "caller:user_id", "b")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("user_id must have one value");
  }

  private String mapped(Map<String, String> values) {
    return mapped(BucketKey.of(values));
  }

  private String mapped(BucketKey key) {
    Policy policy =
        PolicyLoader.parse(
                """
                attributes: {user_id: "jwt:sub|header:x-user"}
                jwt: trusted
                rules:
                  - {name: user, limit_keys: ["user_id|ip:address"], rate: 1/s}
                """,
                "policy.yaml")
            .policy();
    try (PolicyEngine mapping = new PolicyEngine(store, policy)) {
      return key.bucketsOf("user", mapping).orElseThrow().key();
    }
  }

  @Test
  void bucketsOf_unknownRule_isEmpty() {
    assertThat(BucketKey.parse("").bucketsOf("nope", engine)).isEmpty();
  }
}
