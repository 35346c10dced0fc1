package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.penstock.policy.load.Problem;
import io.penstock.server.SettingsReader.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsReaderTest {
  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void nameFile() {
    file = folder.resolve("penstock.yaml");
  }

  private Settings readFile(String text) throws IOException {
    Files.writeString(file, text);
    return SettingsReader.read(Map.of(), Map.of(), file);
  }

  private static Settings readVariable(String name, String value) {
    return SettingsReader.read(Map.of(), Map.of(name, value), null);
  }

  @Test
  void read_nothingSet_hasDefaults() {
    Settings settings = SettingsReader.read(Map.of(), Map.of(), null);

    assertThat(settings.port()).isEqualTo(8080);
    assertThat(settings.adminHost()).isEqualTo("127.0.0.1");
    assertThat(settings.policy()).isEmpty();
    assertThat(settings.maxConnections()).isEqualTo(10_000);
    assertThat(settings.maxConnectionsPerAddress()).isEqualTo(2_500);
    assertThat(settings.warnings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"2, 0, 1", "100, 0, 25", "100, 80, 80"})
  void read_connectionsPerAddress_areAQuarterUnlessSet(String max, String set, int perAddress) {
    Settings settings =
        SettingsReader.read(
            Map.of(Setting.MAX_CONNECTIONS, max, Setting.MAX_CONNECTIONS_PER_ADDRESS, set),
            Map.of(),
            null);
    assertThat(settings.maxConnectionsPerAddress()).isEqualTo(perAddress);
  }

  @ParameterizedTest
  @CsvSource({
    "http://localhost:8000, 0.0.0.0, true",
    "http://127.0.0.1:8000, 0.0.0.0, true",
    "http://[::1]:8000, '::', true",
    "http://localhost:8000, 127.0.0.1, true",
    "http://10.0.0.5:8000, 10.0.0.5, true",
    "http://10.0.0.6:8000, 10.0.0.5, false",
    "http://127.0.0.1:8000, 10.0.0.5, false",
    "http://localhost:3000, 0.0.0.0, false",
    "http://origin:8000, 0.0.0.0, false"
  })
  void read_upstreamIsTheProxyItself_isAnError(String upstream, String host, boolean isProxy) {
    Map<Setting, String> flags = Map.of(Setting.UPSTREAM, upstream, Setting.PROXY_HOST, host);
    if (isProxy) {
      assertThatThrownBy(() -> SettingsReader.read(flags, Map.of(), null))
          .isInstanceOf(SettingsException.class)
          .hasMessage(
              "--upstream: upstream must not be the address of the proxy listener: "
                  + host
                  + ":8000");
    } else {
      assertThat(SettingsReader.read(flags, Map.of(), null).upstream()).isPresent();
    }
  }

  @Test
  void read_setThreeTimes_flagOverridesVariableOverridesFile() throws IOException {
    Files.writeString(file, "port: 1\nadmin_port: 2\nworkers: 3\n");

    Settings settings =
        SettingsReader.read(
            Map.of(Setting.PORT, "11"),
            Map.of("PENSTOCK_PORT", "21", "PENSTOCK_ADMIN_PORT", "22"),
            file);

    assertThat(settings.port()).isEqualTo(11);
    assertThat(settings.adminPort()).isEqualTo(22);
    assertThat(settings.workers()).isEqualTo(3);
  }

  @Test
  void read_invalidFile_reportsAllErrorsWithLocation() {
    assertThatThrownBy(() -> readFile("prot: 80\nport: many\nlog_level:\n  - loud\n"))
        .isInstanceOf(SettingsException.class)
        .hasMessage(
            "%1$s:1:1: prot: unknown field; did you mean port?\n"
                .concat("%1$s:2:7: port: must be a whole number from 0 to 65535: many\n")
                .concat("%1$s:4:3: log_level: must be a single value, not a list")
                .formatted(file));
  }

  @Test
  void read_invalidFlagAndVariable_reportsBoth() {
    assertThatThrownBy(
            () ->
                SettingsReader.read(
                    Map.of(Setting.HEADERS, "some"), Map.of("PENSTOCK_NODES", "0"), null))
        .hasMessageContaining("--headers: ")
        .hasMessageContaining("PENSTOCK_NODES: must be a whole number from 1 to 100000: 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\n", "# port: 1\n\n  # workers: 2"})
  void read_fileWithCommentsOnly_isValid(String text) throws IOException {
    assertThat(readFile(text).port()).isEqualTo(8080);
  }

  @Test
  void read_missingFile_isError() {
    assertThatThrownBy(() -> SettingsReader.read(Map.of(), Map.of(), file))
        .hasMessageContaining(file.toString());
  }

  @Test
  void read_policyInFile_isRelativeToIt() throws IOException {
    assertThat(readFile("policy: rules/policy.yaml").policy())
        .isEqualTo(Optional.of(folder.resolve("rules/policy.yaml")));
    assertThat(readVariable("PENSTOCK_POLICY", "policy.yaml").policy())
        .isEqualTo(Optional.of(Path.of("policy.yaml")));
  }

  @ParameterizedTest
  @CsvSource({
    "PENSTOCK_PORT, tcp://10.0.0.1:8080",
    "PENSTOCK_ADMIN_PORT, tcp://10.0.0.1:9090",
    "PENSTOCK_PORT, udp://10.0.0.1:8080",
    "PENSTOCK_PORT_8080_TCP, tcp://10.0.0.1:8080",
    "PENSTOCK_PORT_8080_TCP_ADDR, 10.0.0.1",
    "PENSTOCK_PORT_8080_TCP_PORT, 8080",
    "PENSTOCK_PORT_8080_TCP_PROTO, tcp",
    "PENSTOCK_SERVICE_HOST, 10.0.0.1",
    "PENSTOCK_SERVICE_PORT, 8080",
    "PENSTOCK_SERVICE_PORT_HTTP, 8080",
    "PENSTOCK_ADMIN_SERVICE_PORT, 9090",
    "PENSTOCK_REDIS_PORT, tcp://10.0.0.1:6379",
    "PENSTOCK_REDIS_PORT_6379_TCP, tcp://10.0.0.1:6379",
    "PENSTOCK_JAVA_OPTS, -Xmx64m",
    "PENSTOCK_CONFIG, penstock.yaml",
    "PENSTOCK_TEST_REDIS_URL, redis://h",
    "PENSTOCK_HOME, /opt/penstock",
    "PENSTOCK_VERSION, 1",
    "PENSTOCK_IMAGE, penstock"
  })
  void read_unrelatedVariable_isIgnored(String name, String value) {
    Settings settings = readVariable(name, value);

    assertThat(settings.port()).isEqualTo(8080);
    assertThat(settings.adminPort()).isEqualTo(9090);
    assertThat(settings.warnings()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "PENSTOCK_PROT, PENSTOCK_PORT",
    "PENSTOCK_ADMINPORT, PENSTOCK_ADMIN_PORT",
    "PENSTOCK_ADMIN_TOKN, PENSTOCK_ADMIN_TOKEN",
    "PENSTOCK_REDDIS, PENSTOCK_REDIS",
    "PENSTOCK_LOGLEVEL, PENSTOCK_LOG_LEVEL"
  })
  void read_misspelledVariable_warns(String name, String meant) {
    assertThat(readVariable(name, "x").warnings())
        .extracting(Problem::toString)
        .containsExactly(name + ": warning: unknown variable; did you mean " + meant + "?");
  }

  @Test
  void read_adminOnPublicAddressWithoutToken_isError() {
    assertThatThrownBy(() -> readVariable("PENSTOCK_ADMIN_HOST", "0.0.0.0"))
        .hasMessageContaining("requires admin_token");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://h",
        "rediss://u:p@h:6380/2",
        "redis://:p%40s%2Fs@h",
        "redis-sentinel://h1,h2#main",
        "redis-sentinel://pw@h1:26379,h2:26379/0#main",
        "rediss-sentinel://u:pw@h1#main",
        "redis-cluster://h",
        "rediss-cluster://u:pw@h1:7000,h2:7001"
      })
  void read_validRedis_isAccepted(String url) {
    assertThat(readVariable("PENSTOCK_REDIS", url).redis()).isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://:Hidden^1@h",
        "redis://:Hidden 1@h",
        "redis://:Hidden@1@h:6379",
        "redis://:Hidden#1@h:6379",
        "redis://:Hidden/1@h",
        "redis://:Hidden?1@h",
        "redis://:Hidden%zz@h",
        "redis-sentinel://u:Hidden@1@h#main",
        "redis-sentinel://u:Hidden@h1,h2",
        "redis-cluster://u:Hidden@h1,h2/3",
        "redis-cluster://u:Hidden@",
        "postgres://u:Hidden@h",
        "Hidden"
      })
  void read_invalidRedis_isRejectedWithoutItsPassword(String url) {
    assertThatThrownBy(() -> readVariable("PENSTOCK_REDIS", url))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("PENSTOCK_REDIS: must ")
        .hasMessageNotContaining("Hidden");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://user:hunter2@host/", "http://user:hunter2@ho st/", "u:hunter2@h"})
  void read_invalidUpstream_isReportedWithoutItsPassword(String url) {
    assertThatThrownBy(() -> SettingsReader.read(Map.of(Setting.UPSTREAM, url), Map.of(), null))
        .hasMessageContaining("@h")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void read_fileIsADevice_isRejected() {
    Path device = Path.of("/dev/zero");
    assumeTrue(Files.exists(device), "there is a /dev/zero");

    assertThatThrownBy(() -> SettingsReader.read(Map.of(), Map.of(), device))
        .hasMessageContaining("must be a regular file");
  }

  @Test
  void read_shortToken_isRejectedWithoutQuotingIt() {
    assertThatThrownBy(() -> readVariable("PENSTOCK_TOKEN", "Hidden"))
        .hasMessage("PENSTOCK_TOKEN: must have at least 16 characters");
  }

  @ParameterizedTest
  @EnumSource(names = {"PROXY_TLS_CERT", "PROXY_TLS_KEY", "UPSTREAM_CA"})
  void read_missingTlsFile_isRejected(Setting setting) {
    for (Path none : List.of(folder.resolve("none.pem"), folder)) {
      assertThatThrownBy(
              () -> SettingsReader.read(Map.of(setting, none.toString()), Map.of(), null))
          .isInstanceOf(SettingsException.class)
          .hasMessage(setting.flag() + ": must be a regular file that can be read: " + none);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "junk", "-----BEGIN CERTIFICATE-----\nAAAA\n"})
  void read_upstreamCaWithoutCertificates_isRejected(String content) throws IOException {
    Path junk = Files.writeString(folder.resolve("junk.pem"), content);
    assertThatThrownBy(
            () ->
                SettingsReader.read(
                    Map.of(
                        Setting.UPSTREAM,
                        "https://localhost",
                        Setting.UPSTREAM_CA,
                        junk.toString()),
                    Map.of(),
                    null))
        .isInstanceOf(SettingsException.class)
        .hasMessageMatching("--upstream-ca: (contains no certificate|must contain certificates).*")
        .hasMessageEndingWith(": " + junk);
  }

  @Test
  void read_upstreamCaForPlainHttp_isRejected() throws IOException {
    Path junk = Files.writeString(folder.resolve("ca.pem"), "");
    assertThatThrownBy(
            () ->
                SettingsReader.read(
                    Map.of(
                        Setting.UPSTREAM, "http://localhost", Setting.UPSTREAM_CA, junk.toString()),
                    Map.of(),
                    null))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(
            "--upstream-ca: upstream_ca needs an upstream that begins with https://");
  }

  @ParameterizedTest
  @ValueSource(strings = {"required", "optional"})
  void read_clientAuthWithoutClientCa_isRejected(String form) {
    assertThatThrownBy(() -> readVariable("PENSTOCK_PROXY_TLS_CLIENT_AUTH", form))
        .isInstanceOf(SettingsException.class)
        .hasMessage(
            "PENSTOCK_PROXY_TLS_CLIENT_AUTH: proxy_tls_client_auth needs proxy_tls_client_ca");
  }

  @ParameterizedTest
  @CsvSource({
    "PROXY_TLS_CERT, upstream",
    "PROXY_TLS_KEY, upstream",
    "PROXY_TLS_CLIENT_CA, proxy_tls_cert",
    "PROXY_TLS_CLIENT_AUTH, proxy_tls_client_ca",
    "PROXY_TLS_PROTOCOLS, proxy_tls_cert",
    "PROXY_TLS_CIPHERS, proxy_tls_cert",
    "UPSTREAM_CA, upstream",
  })
  void read_tlsSettingWithoutEffect_isError(Setting setting, String missing) throws IOException {
    String file = Files.writeString(folder.resolve("file.pem"), "").toString();
    String value = setting.otherwise() == null ? file : setting.otherwise();
    assertThatThrownBy(() -> SettingsReader.read(Map.of(setting, value), Map.of(), null))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining(setting.flag() + ": " + setting.key() + " needs " + missing);
  }

  @ParameterizedTest
  @CsvSource({
    "PROXY_PORT, 1, upstream",
    "UPSTREAM_QUEUE, 1, upstream",
    "UNDERSCORE_HEADERS, pass, upstream",
    "ACCESS_LOG, json, upstream",
    "ACCESS_LOG_FILE, access.log, access_log",
    "REDIS_PREFIX, a:, redis",
    "NODES, 2, redis",
    "POSTGRES_MIGRATE, false, postgres",
    "VIOLATIONS_DAYS, 1, postgres",
  })
  void read_settingWithoutEffect_warns(Setting setting, String value, String missing) {
    Settings settings = SettingsReader.read(Map.of(setting, value), Map.of(), null);
    assertThat(settings.warnings())
        .extracting(Problem::toString)
        .containsExactly(
            "%s: warning: %s has no effect without %s"
                .formatted(setting.flag(), setting.key(), missing));
  }

  @ParameterizedTest
  @EnumSource
  void read_settingOfAnother_declaresThatItNeedsIt(Setting setting) {
    for (Setting owner :
        List.of(Setting.UPSTREAM, Setting.REDIS, Setting.POSTGRES, Setting.VIOLATIONS)) {
      if (setting.name().startsWith(owner.name() + "_")) {
        // Violations are recorded without a database as well, with fewer settings.
        assertThat(setting.needs())
            .isIn(owner, owner == Setting.VIOLATIONS ? Setting.POSTGRES : owner);
      }
    }
    assertThat(!setting.name().startsWith("PROXY_") || setting.needs() != null).isTrue();
  }

  @Test
  void read_settingWithWhatItNeeds_doesNotWarn() {
    Settings settings =
        SettingsReader.read(
            Map.of(
                Setting.UPSTREAM,
                "http://localhost",
                Setting.ACCESS_LOG,
                "json",
                Setting.ACCESS_LOG_FILE,
                "access.log",
                Setting.REDIS,
                "redis://h",
                Setting.NODES,
                "2",
                Setting.POSTGRES,
                "postgres://u@h/d",
                Setting.VIOLATIONS_DAYS,
                "1"),
            Map.of(),
            null);
    assertThat(settings.warnings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(names = {"ACCESS_LOG_FILE", "POSTGRES_SNAPSHOT"})
  void read_outputFileThatDoesNotExist_isValid(Setting setting) {
    String none = folder.resolve("none").toString();
    assertThat(SettingsReader.read(Map.of(setting, none), Map.of(), null).origin(setting))
        .isEqualTo(setting.flag());
  }
}
