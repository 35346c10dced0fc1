package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.policy.load.Problem;
import io.penstock.redis.RedisTls;
import io.penstock.server.SettingsReader.SettingsException;
import io.penstock.server.envoy.EnvoyOptions;
import io.penstock.server.envoy.EnvoySource;
import io.penstock.server.envoy.LimitHeaders;
import io.penstock.server.proxy.TestPki;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
              assertThat(envoy.source()).hasToString("/data/ratelimit/config");
              assertThat(envoy.mergesDomains()).isTrue();
              assertThat(envoy.shadow()).isTrue();
              assertThat(envoy.headers().limits()).hasValue(LimitHeaders.DEFAULT);
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
  void read_urlsOfRedis_haveTheirOwnVariablesAdded() {
    assertThat(
            read(
                    "REDIS_URL",
                    "redis://a:6379",
                    "REDIS_TLS",
                    "true",
                    "REDIS_AUTH",
                    "secret",
                    "REDIS_SOCKET_TYPE",
                    "tcp")
                .redis())
        .hasValue("rediss://:secret@a:6379");
    assertThat(read("REDIS_URL", "rediss://:p@a:6379/1", "REDIS_SOCKET_TYPE", "tcp").redis())
        .hasValue("rediss://:p@a:6379/1");
    assertThat(read("REDIS_TYPE", "cluster", "REDIS_URL", "redis://a:7000,redis://b:7000").redis())
        .hasValue("redis-cluster://a:7000,b:7000");
    assertThat(errors("REDIS_URL", "redis://:p@a:1", "REDIS_AUTH", "q", "REDIS_SOCKET_TYPE", "tcp"))
        .containsExactly("REDIS_AUTH: must not be set if REDIS_URL contains a password");
  }

  @Test
  void read_deploymentOfEnvoyGateway_isSettings(@TempDir Path folder) throws Exception {
    TestPki pki = new TestPki(folder).make("tls", "EC");
    String certificate = pki.certificate("tls", folder).toString();
    String key = pki.key("tls", folder).toString();
    Settings settings =
        read(
            "RUNTIME_ROOT", "/data",
            "RUNTIME_SUBDIRECTORY", "ratelimit",
            "RUNTIME_WATCH_ROOT", "false",
            "LOG_LEVEL", "info",
            "CONFIG_TYPE", "GRPC_XDS_SOTW",
            "CONFIG_GRPC_XDS_SERVER_URL", "envoy-gateway:18001",
            "CONFIG_GRPC_XDS_NODE_ID", "envoy-ratelimit",
            "CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS", "a:b:c,d:e",
            "XDS_CLIENT_BACKOFF_INITIAL_INTERVAL", "1m1.5s",
            "GRPC_SERVER_USE_TLS", "true",
            "GRPC_SERVER_TLS_CERT", certificate,
            "GRPC_SERVER_TLS_KEY", key,
            "GRPC_SERVER_TLS_CA_CERT", certificate,
            "CONFIG_GRPC_XDS_SERVER_USE_TLS", "true",
            "CONFIG_GRPC_XDS_CLIENT_TLS_CERT", certificate,
            "CONFIG_GRPC_XDS_CLIENT_TLS_KEY", key,
            "CONFIG_GRPC_XDS_SERVER_TLS_CACERT", certificate,
            "FORCE_START_WITHOUT_INITIAL_CONFIG", "true",
            "REDIS_SOCKET_TYPE", "tcp",
            "REDIS_URL", "redis.redis.svc:6379",
            "REDIS_TLS", "true",
            "REDIS_TLS_CLIENT_CERT", certificate,
            "REDIS_TLS_CLIENT_KEY", key,
            "REDIS_TLS_SKIP_HOSTNAME_VERIFICATION", "true");

    EnvoyOptions envoy = settings.envoy().orElseThrow();
    assertThat(envoy.startsWithoutConfig()).isTrue();
    assertThat(envoy.source())
        .isEqualTo(
            new EnvoySource.XdsServer(
                "envoy-gateway",
                18001,
                Optional.of(
                    new EnvoySource.XdsTls(
                        Optional.of(Path.of(certificate)),
                        Optional.of(Path.of(certificate)),
                        Optional.of(Path.of(key)),
                        Optional.empty())),
                "envoy-ratelimit",
                Map.of(),
                Map.of("a", "b:c", "d", "e"),
                4 << 20,
                new EnvoySource.XdsBackoff(Duration.ofMillis(61_500), Duration.ofSeconds(30))));
    assertThat(settings.envoyTls()).hasValueSatisfying(tls -> assertThat(tls.clientCa()).isEmpty());
    assertThat(settings.redis()).hasValue("rediss://redis.redis.svc:6379");
    assertThat(settings.redisTls())
        .isEqualTo(
            new RedisTls(
                Optional.empty(),
                Optional.of(Path.of(certificate)),
                Optional.of(Path.of(key)),
                false));
    assertThat(settings.warnings()).isEmpty();
  }

  @Test
  void read_otherModes_areSettings() {
    EnvoyOptions envoy =
        read(
                "QUOTA_MODE", "true",
                "HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED", "true",
                "LIMIT_RESPONSE_HEADERS_ENABLED", "true",
                "LIMIT_REMAINING_HEADER", "X-Left")
            .envoy()
            .orElseThrow();

    assertThat(envoy.quota()).isTrue();
    assertThat(envoy.healthNeedsConfig()).isTrue();
    assertThat(envoy.headers().limits())
        .hasValue(new LimitHeaders("RateLimit-Limit", "X-Left", "RateLimit-Reset"));
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
                "CONFIG_TYPE", "OTHER",
                "BACKEND_TYPE", "memcache",
                "GRPC_SERVER_USE_TLS", "true",
                "GRPC_CLIENT_TLS_SAN", "envoy",
                "REDIS_URL", "/var/run/redis.sock",
                "SHADOW_MODE", "maybe"))
        .containsExactly(
            "BACKEND_TYPE: must be redis; anything else is not supported: memcache",
            "CONFIG_TYPE: must be FILE or GRPC_XDS_SOTW: OTHER",
            "GRPC_CLIENT_TLS_SAN: must be empty: the names in client certificates are not checked",
            "GRPC_SERVER_TLS_CERT: is required for TLS",
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
