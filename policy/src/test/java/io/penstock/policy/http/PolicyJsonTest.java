package io.penstock.policy.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.policy.load.PolicyLoader;
import org.junit.jupiter.api.Test;

class PolicyJsonTest {
  private static final String RULES =
      "rules: [{name: a, limit_keys: [\"ip:address\"], rate: 1/s}]\n";

  @Test
  void write_settings_containsClientAddressAndJwtWithoutSecrets() {
    String json =
        json(
            """
            client_address: {trusted_proxies: [10.0.0.0/8, "fd00::/8"], header: forwarded, ipv6_prefix: 56}
            key_secret: a-key-secret-of-enough-characters-for-any-check
            jwt:
              secret: a-shared-secret-of-more-than-32-bytes
              issuer: https://id.example.com/
              audience: [api, web]
              leeway_seconds: 5
            """);

    assertThat(json)
        .contains(
            "\"client_address\":{\"trusted_proxies\":[\"10.0.0.0/8\",\"fd00::/8\"],"
                + "\"header\":\"forwarded\",\"ipv6_prefix\":56}",
            "\"jwt\":{\"trust\":\"verify\",\"keys\":\"secret\",\"algorithms\":[\"HS256\"],"
                + "\"issuer\":\"https://id.example.com/\",\"audience\":[\"api\",\"web\"],"
                + "\"leeway_seconds\":5}")
        .doesNotContain("a-shared-secret", "a-key-secret");
  }

  @Test
  void write_urlOfAKeySet_containsOnlyTheKindOfSource() {
    assertThat(json("jwt: {jwks_url: \"https://user:password@id.example.com/keys?token=t\"}\n"))
        .contains("\"trust\":\"verify\",\"keys\":\"jwks_url\",\"algorithms\":[\"RS256\",\"ES256\"]")
        .doesNotContain("password", "token=");
  }

  @Test
  void write_defaults_statesThem() {
    assertThat(json(""))
        .contains(
            "\"client_address\":{\"trusted_proxies\":[],\"header\":\"x-forwarded-for\","
                + "\"ipv6_prefix\":64}",
            "\"jwt\":{\"trust\":\"none\",\"keys\":null,\"algorithms\":[],\"issuer\":null,"
                + "\"audience\":[],\"leeway_seconds\":0}");
    assertThat(json("jwt: trusted\n")).contains("\"trust\":\"trusted\"");
    assertThat(json("jwt: caller\n")).contains("\"trust\":\"caller\"");
  }

  private static String json(String settings) {
    return new String(
        Json.bytes(
            json ->
                PolicyJson.write(
                    PolicyLoader.parse(settings + RULES, "policy.yaml").policy(), json)),
        UTF_8);
  }
}
