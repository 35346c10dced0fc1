package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.policy.load.Problem;
import io.penstock.server.SettingsReader.SettingsException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvoyVariablesTest {
  @Test
  void read_variablesOfTheReference_areSettings() {
    Settings settings =
        read(
            "RUNTIME_ROOT", "/data",
            "RUNTIME_SUBDIRECTORY", "ratelimit",
            "GRPC_PORT", "9081",
            "PORT", "9080",
            "LOG_LEVEL", "WARNING",
            "MERGE_DOMAIN_CONFIG", "true",
            "SHADOW_MODE", "1",
            "LIMIT_RESPONSE_HEADERS_ENABLED", "True",
            "REDIS_SOCKET_TYPE", "tcp",
            "REDIS_URL", "redis:6379",
            "REDIS_AUTH", "p@ss word");

    assertThat(settings.envoy())
        .hasValueSatisfying(
            envoy -> {
              assertThat(envoy.config()).isEqualTo(Path.of("/data/ratelimit/config"));
              assertThat(envoy.mergesDomains()).isTrue();
              assertThat(envoy.shadow()).isTrue();
              assertThat(envoy.headers()).isTrue();
            });
    assertThat(settings.envoyPort()).isEqualTo(9081);
    assertThat(settings.port()).isEqualTo(9080);
    assertThat(settings.logLevel()).isEqualTo("warn");
    assertThat(settings.redis()).hasValue("redis://:p%40ss%20word@redis:6379");
    assertThat(settings.redisDeadline()).hasMillis(10);
    assertThat(settings.warnings()).isEmpty();
  }

  @Test
  void read_typesOfRedis_areUrls() {
    assertThat(
            read("REDIS_TYPE", "CLUSTER", "REDIS_URL", "a:7000,b:7000", "REDIS_TLS", "true")
                .redis())
        .hasValue("rediss-cluster://a:7000,b:7000");
    assertThat(
            read("REDIS_TYPE", "sentinel", "REDIS_URL", "main,a:26379", "REDIS_AUTH", "u:p")
                .redis())
        .hasValue("redis-sentinel://u:p@a:26379#main");
  }

  @Test
  void read_ownSettings_havePrecedence() {
    assertThat(read("GRPC_PORT", "9081", "PENSTOCK_ENVOY_PORT", "7").envoyPort()).isEqualTo(7);
  }

  @Test
  void read_withoutTheSetting_ignoresThem() {
    Settings settings =
        SettingsReader.read(
            Map.of(), Map.of("RUNTIME_ROOT", "/data", "PORT", "9080", "REDIS_URL", "a"), null);

    assertThat(settings.envoy()).isEmpty();
    assertThat(settings.port()).isEqualTo(8080);
    assertThat(settings.redis()).isEmpty();
  }

  @Test
  void read_whatHasNoEffect_isReported() {
    assertThat(read("USE_STATSD", "true", "REDIS_POOL_SIZE", "5").warnings())
        .extracting(Problem::toString)
        .containsExactly(
            "REDIS_POOL_SIZE: warning: has no effect; see docs/envoy.md",
            "REDIS_URL: warning: is not set, so each node limits by itself, in memory",
            "USE_STATSD: warning: has no effect; see docs/envoy.md");
  }

  @Test
  void read_whatIsNotSupported_isAnError() {
    assertThat(
            errors(
                "CONFIG_TYPE", "GRPC_XDS_SOTW",
                "BACKEND_TYPE", "memcache",
                "GRPC_SERVER_USE_TLS", "true",
                "REDIS_URL", "/var/run/redis.sock",
                "SHADOW_MODE", "maybe"))
        .containsExactly(
            "BACKEND_TYPE: must be redis; anything else is not supported: memcache",
            "CONFIG_TYPE: must be FILE; anything else is not supported: GRPC_XDS_SOTW",
            "GRPC_SERVER_USE_TLS: must be false; anything else is not supported: true",
            "REDIS_SOCKET_TYPE: must be tcp: unix sockets are not supported",
            "SHADOW_MODE: must be true or false: maybe");
    assertThat(errors("REDIS_TYPE", "sentinel", "REDIS_URL", "a:1"))
        .containsExactly(
            "REDIS_URL: must be the name of the master and the sentinels, separated by commas");
  }

  private static List<String> errors(String... variables) {
    return catchThrowableOfType(SettingsException.class, () -> read(variables)).problems().stream()
        .map(Problem::toString)
        .toList();
  }

  private static Settings read(String... variables) {
    Map<String, String> all = new HashMap<>();
    all.put("PENSTOCK_ENVOY_VARIABLES", "true");
    for (int i = 0; i < variables.length; i += 2) {
      all.put(variables[i], variables[i + 1]);
    }
    return SettingsReader.read(Map.of(), all, null);
  }
}
