package io.penstock.server;

import io.penstock.policy.KeyPart;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.load.Problem;
import io.penstock.redis.RedisTls;
import io.penstock.server.envoy.EnvoyOptions;
import io.penstock.server.log.AccessFormat;
import io.penstock.server.proxy.Upstream;
import io.penstock.server.tls.TlsFiles;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The validated settings of the process. Immutable; created by {@link SettingsReader}. */
public final class Settings {
  /** The origin of a default value. */
  static final String DEFAULT = "default";

  /** Replaces a secret wherever settings are printed. */
  static final String MASK = "********";

  private static final int PERMILLE_PER_PERCENT = 10;

  /** By default, one address may have this fraction (1/n) of a listener's connections. */
  static final int ADDRESS_SHARE = 4;

  private final Map<Setting, SettingValue> values;
  private final List<Problem> warnings;

  /**
   * A value and where it was set.
   *
   * @param origin the flag, the variable, the location in a file, or {@code default}
   */
  record SettingValue(String value, String origin) {}

  Settings(Map<Setting, SettingValue> values, List<Problem> warnings) {
    this.values = new EnumMap<>(values);
    this.warnings = List.copyOf(warnings);
  }

  /** Returns probable mistakes, such as variables that look like a misspelled setting. */
  public List<Problem> warnings() {
    return warnings;
  }

  /** Returns the policy to load; if empty, the sample policy is used. */
  public Optional<Path> policy() {
    return text(Setting.POLICY).map(Path::of);
  }

  public String host() {
    return required(Setting.HOST);
  }

  public int port() {
    return whole(Setting.PORT);
  }

  public String adminHost() {
    return required(Setting.ADMIN_HOST);
  }

  public int adminPort() {
    return whole(Setting.ADMIN_PORT);
  }

  /** Returns the host names of the admin listener in addition to those of loopback. */
  public List<String> adminHosts() {
    return text(Setting.ADMIN_HOSTS).map(Settings::list).orElse(List.of());
  }

  /** Splits a comma-separated list. */
  static List<String> list(String text) {
    return Stream.of(text.split(",", -1)).map(String::strip).toList();
  }

  public String proxyHost() {
    return required(Setting.PROXY_HOST);
  }

  public int proxyPort() {
    return whole(Setting.PROXY_PORT);
  }

  /** Returns the TLS files of the proxy listener; empty if it does not use TLS. */
  public Optional<TlsFiles> proxyTls() {
    return tls(
        identities(Setting.PROXY_TLS_CERT, Setting.PROXY_TLS_KEY),
        text(Setting.PROXY_TLS_CLIENT_CA),
        required(Setting.PROXY_TLS_CLIENT_AUTH).equals("required"));
  }

  /** Returns the TLS files of the listener for Envoy; empty if it does not use TLS. */
  public Optional<TlsFiles> envoyTls() {
    return tls(
        identities(Setting.ENVOY_TLS_CERT, Setting.ENVOY_TLS_KEY),
        text(Setting.ENVOY_TLS_CLIENT_CA),
        true);
  }

  private Optional<TlsFiles> tls(
      List<TlsFiles.Pair> identities, Optional<String> clientCa, boolean clientRequired) {
    return identities.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new TlsFiles(
                identities,
                clientCa.map(Path::of),
                clientRequired,
                list(required(Setting.PROXY_TLS_PROTOCOLS)),
                list(required(Setting.PROXY_TLS_CIPHERS))));
  }

  private List<TlsFiles.Pair> identities(Setting certificate, Setting key) {
    List<Path> certificates = files(certificate);
    List<Path> keys = files(key);
    List<TlsFiles.Pair> identities = new ArrayList<>();
    for (int i = 0; i < keys.size() && certificates.size() == keys.size(); i++) {
      identities.add(new TlsFiles.Pair(certificates.get(i), keys.get(i)));
    }
    return identities;
  }

  /** Returns the files of a list; empty if the setting is not set. */
  List<Path> files(Setting setting) {
    return text(setting).map(Settings::list).orElse(List.of()).stream().map(Path::of).toList();
  }

  /** Returns the CAs that may sign the origin's certificate, if set. */
  Optional<Path> upstreamCa() {
    return text(Setting.UPSTREAM_CA).map(Path::of);
  }

  /** Returns the settings of the listener for Envoy, if it is to be opened. */
  public Optional<EnvoyOptions> envoy() {
    return text(Setting.ENVOY).map(source -> EnvoySettings.read(source, this));
  }

  public String envoyHost() {
    return required(Setting.ENVOY_HOST);
  }

  public int envoyPort() {
    return whole(Setting.ENVOY_PORT);
  }

  /** Returns the address of a listener that is opened only if its port is set. */
  Optional<InetSocketAddress> address(Setting host, Setting port) {
    return text(port)
        .map(unused -> InetSocketAddress.createUnresolved(required(host), whole(port)));
  }

  String envoyMetricsPath() {
    return required(Setting.ENVOY_METRICS_PATH);
  }

  /** Returns the origin that the proxy forwards requests to, if set. */
  public Optional<Upstream> upstream() {
    return text(Setting.UPSTREAM)
        .map(
            origin ->
                new Upstream(
                    URI.create(origin),
                    flag(Setting.UPSTREAM_HTTP2),
                    text(Setting.UPSTREAM_CA).orElse(null),
                    required(Setting.UPSTREAM_HOST).equals("keep"),
                    flag(Setting.UPSTREAM_FORWARDED),
                    required(Setting.UNDERSCORE_HEADERS).equals("pass"),
                    whole(Setting.UPSTREAM_CONNECTIONS),
                    new Upstream.QueueLimits(
                        whole(Setting.UPSTREAM_QUEUE),
                        Duration.ofMillis(whole(Setting.UPSTREAM_QUEUE_MS)),
                        whole(Setting.UPSTREAM_CONNECTIONS_PER_CLIENT)),
                    new Upstream.SlowClients(
                        Duration.ofMillis(whole(Setting.CLIENT_STALL_MS)),
                        whole(Setting.CLIENT_MIN_RATE)),
                    Duration.ofMillis(whole(Setting.UPSTREAM_CONNECT_MS)),
                    Duration.ofMillis(whole(Setting.UPSTREAM_FIRST_BYTE_MS)),
                    Duration.ofMillis(whole(Setting.UPSTREAM_IDLE_MS)),
                    Duration.ofMillis(whole(Setting.UPSTREAM_TOTAL_MS))));
  }

  public int maxDelayed() {
    return whole(Setting.MAX_DELAYED);
  }

  public Optional<String> token() {
    return text(Setting.TOKEN);
  }

  public Optional<String> adminToken() {
    return text(Setting.ADMIN_TOKEN);
  }

  /** Returns the additional tokens of the admin listener, unparsed. */
  public Optional<String> adminTokens() {
    return text(Setting.ADMIN_TOKENS);
  }

  public HeaderFormat headers() {
    return HeaderFormat.parse(required(Setting.HEADERS));
  }

  public Jitter jitter() {
    return new Jitter(
        PERMILLE_PER_PERCENT * whole(Setting.RETRY_JITTER_PERCENT),
        whole(Setting.RETRY_JITTER_SECONDS));
  }

  /** Returns the URL of Redis; if empty, limits are kept in process. */
  public Optional<String> redis() {
    return text(Setting.REDIS);
  }

  /** Returns the URL of the PostgreSQL database with the rules, if set. */
  public Optional<String> postgres() {
    return text(Setting.POSTGRES);
  }

  public Path postgresSnapshot() {
    return Path.of(required(Setting.POSTGRES_SNAPSHOT));
  }

  public boolean migratesPostgres() {
    return flag(Setting.POSTGRES_MIGRATE);
  }

  public boolean recordsViolations() {
    return flag(Setting.VIOLATIONS);
  }

  public int violationsQueue() {
    return whole(Setting.VIOLATIONS_QUEUE);
  }

  public KeyPart violationsUser() {
    return KeyPart.parse(required(Setting.VIOLATIONS_USER));
  }

  /** Returns how many days violations are kept; 0 means forever. */
  public int violationsDays() {
    return whole(Setting.VIOLATIONS_DAYS);
  }

  /** Returns the max number of violation rows that are kept; 0 means all. */
  public int violationsRows() {
    return whole(Setting.VIOLATIONS_ROWS);
  }

  public Duration redisDeadline() {
    return Duration.ofMillis(whole(Setting.REDIS_DEADLINE_MS));
  }

  public Duration redisStartTimeout() {
    return Duration.ofMillis(whole(Setting.REDIS_START_TIMEOUT_MS));
  }

  public boolean redisFailsFast() {
    return flag(Setting.REDIS_FAIL_FAST);
  }

  public String redisPrefix() {
    return required(Setting.REDIS_PREFIX);
  }

  /** Returns the certificates of the connections to Redis. */
  public RedisTls redisTls() {
    return new RedisTls(
        text(Setting.REDIS_TLS_CA).map(Path::of),
        text(Setting.REDIS_TLS_CERT).map(Path::of),
        text(Setting.REDIS_TLS_KEY).map(Path::of),
        flag(Setting.REDIS_TLS_VERIFY_HOST));
  }

  public Optional<Integer> nodes() {
    return text(Setting.NODES).map(Integer::valueOf);
  }

  public long maxKeys() {
    return whole(Setting.MAX_KEYS);
  }

  public int maxConnections() {
    return whole(Setting.MAX_CONNECTIONS);
  }

  /** Returns the max number of connections of one client address to a listener; at least 1. */
  public int maxConnectionsPerAddress() {
    int max = whole(Setting.MAX_CONNECTIONS_PER_ADDRESS);
    return max > 0 ? max : Math.max(1, maxConnections() / ADDRESS_SHARE);
  }

  public long requestTimeoutMillis() {
    return whole(Setting.REQUEST_TIMEOUT_MS);
  }

  /** Returns the number of threads that serve requests; at least 1. */
  public int workers() {
    int workers = whole(Setting.WORKERS);
    return workers > 0 ? workers : Runtime.getRuntime().availableProcessors();
  }

  public Duration shutdown() {
    return Duration.ofMillis(whole(Setting.SHUTDOWN_MS));
  }

  public boolean logsJson() {
    return required(Setting.LOG_FORMAT).equals("json");
  }

  public String logLevel() {
    return required(Setting.LOG_LEVEL);
  }

  public boolean logsDecisions() {
    return flag(Setting.LOG_DECISIONS);
  }

  /** Returns the format of the proxy's access log; empty if it is off. */
  public Optional<AccessFormat> accessLog() {
    return AccessFormat.parse(required(Setting.ACCESS_LOG));
  }

  /** Returns the file of the access log; if empty, it goes to standard output. */
  public Optional<Path> accessLogFile() {
    return text(Setting.ACCESS_LOG_FILE).map(Path::of);
  }

  /** Returns all effective settings in the format of a settings file, with secrets masked. */
  public String print() {
    return SettingsText.of(values, setting -> unmetNeed(setting) == null);
  }

  Optional<String> text(Setting setting) {
    SettingValue current = values.get(setting);
    return current == null ? Optional.empty() : Optional.of(current.value());
  }

  String required(Setting setting) {
    return text(setting).orElseThrow(() -> new IllegalStateException(setting.key() + " is unset"));
  }

  boolean flag(Setting setting) {
    return Boolean.parseBoolean(required(setting));
  }

  int whole(Setting setting) {
    return Integer.parseInt(required(setting));
  }

  /** Returns whether a setting was set explicitly. */
  boolean isGiven(Setting setting) {
    String origin = origin(setting);
    return origin != null && !origin.equals(DEFAULT);
  }

  /** Returns a setting that is missing or off, so that this one has no effect; null if none is. */
  @Nullable Setting unmetNeed(Setting setting) {
    for (Setting need = setting.needs(); need != null; need = need.needs()) {
      String value = text(need).orElse("off");
      if (value.equals("off") || value.equals("false")) {
        return need;
      }
    }
    return null;
  }

  @Nullable String origin(Setting setting) {
    SettingValue current = values.get(setting);
    return current == null ? null : current.origin();
  }

  /** Omits the values, which may be secret. */
  @Override
  public String toString() {
    return "Settings " + values.keySet();
  }
}
