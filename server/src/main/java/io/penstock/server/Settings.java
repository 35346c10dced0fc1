package io.penstock.server;

import io.penstock.policy.KeyPart;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.load.Problem;
import io.penstock.server.log.AccessFormat;
import io.penstock.server.proxy.Upstream;
import io.penstock.server.tls.TlsFiles;
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

/** What the process was told, checked. Immutable. Made by {@link SettingsReader}. */
public final class Settings {
  /** The origin of a value that was not set. */
  static final String DEFAULT = "default";

  /** Replaces a secret wherever settings are shown. */
  static final String MASK = "********";

  private static final int MILLE = 10;

  /** One address may have one connection of so many. */
  static final int ADDRESS_SHARE = 4;

  private final Map<Setting, SettingValue> values;
  private final List<Problem> warnings;

  /**
   * A value and who said it.
   *
   * @param origin the flag, the variable, the place in a file, or {@code default}
   */
  record SettingValue(String value, String origin) {}

  Settings(Map<Setting, SettingValue> values, List<Problem> warnings) {
    this.values = new EnumMap<>(values);
    this.warnings = List.copyOf(warnings);
  }

  /** What may not be meant, such as variables that are nearly ours. */
  public List<Problem> warnings() {
    return warnings;
  }

  /** The policy to load; the sample policy if there is none. */
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

  /** Host names, besides those of loopback, that the admin listener is known by. */
  public List<String> adminHosts() {
    return text(Setting.ADMIN_HOSTS).map(Settings::list).orElse(List.of());
  }

  /** The items of a list that is separated by commas. */
  static List<String> list(String text) {
    return Stream.of(text.split(",", -1)).map(String::strip).toList();
  }

  public String proxyHost() {
    return required(Setting.PROXY_HOST);
  }

  public int proxyPort() {
    return whole(Setting.PROXY_PORT);
  }

  /** How the proxy listener speaks TLS, if it does. */
  public Optional<TlsFiles> proxyTls() {
    List<Path> certificates = files(Setting.PROXY_TLS_CERT);
    List<Path> keys = files(Setting.PROXY_TLS_KEY);
    if (certificates.isEmpty() || certificates.size() != keys.size()) {
      return Optional.empty();
    }
    List<TlsFiles.Pair> identities = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      identities.add(new TlsFiles.Pair(certificates.get(i), keys.get(i)));
    }
    return Optional.of(
        new TlsFiles(
            identities,
            text(Setting.PROXY_TLS_CLIENT_CA).map(Path::of),
            required(Setting.PROXY_TLS_CLIENT_AUTH).equals("required"),
            list(required(Setting.PROXY_TLS_PROTOCOLS)),
            list(required(Setting.PROXY_TLS_CIPHERS))));
  }

  /** The files of a list; none if it is not set. */
  List<Path> files(Setting setting) {
    return text(setting).map(Settings::list).orElse(List.of()).stream().map(Path::of).toList();
  }

  /** Who may sign the origin's certificate, if that is said. */
  Optional<Path> upstreamCa() {
    return text(Setting.UPSTREAM_CA).map(Path::of);
  }

  /** The origin to stand in front of, if there is one. */
  public Optional<Upstream> upstream() {
    return text(Setting.UPSTREAM)
        .map(
            origin ->
                new Upstream(
                    URI.create(origin),
                    Boolean.parseBoolean(required(Setting.UPSTREAM_HTTP2)),
                    text(Setting.UPSTREAM_CA).orElse(null),
                    required(Setting.UPSTREAM_HOST).equals("keep"),
                    Boolean.parseBoolean(required(Setting.UPSTREAM_FORWARDED)),
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

  /** Tokens of the admin door besides that one, as they are written. */
  public Optional<String> adminTokens() {
    return text(Setting.ADMIN_TOKENS);
  }

  public HeaderFormat headers() {
    return HeaderFormat.parse(required(Setting.HEADERS));
  }

  public Jitter jitter() {
    return new Jitter(
        MILLE * whole(Setting.RETRY_JITTER_PERCENT), whole(Setting.RETRY_JITTER_SECONDS));
  }

  /** The URL of the Redis to share limits through; in process if there is none. */
  public Optional<String> redis() {
    return text(Setting.REDIS);
  }

  /** The URL of the PostgreSQL that rules are from, if there is one. */
  public Optional<String> postgres() {
    return text(Setting.POSTGRES);
  }

  public Path postgresSnapshot() {
    return Path.of(required(Setting.POSTGRES_SNAPSHOT));
  }

  public boolean migratesPostgres() {
    return Boolean.parseBoolean(required(Setting.POSTGRES_MIGRATE));
  }

  public boolean notesViolations() {
    return Boolean.parseBoolean(required(Setting.VIOLATIONS));
  }

  public int violationsQueue() {
    return whole(Setting.VIOLATIONS_QUEUE);
  }

  public KeyPart violationsUser() {
    return KeyPart.parse(required(Setting.VIOLATIONS_USER));
  }

  /** How many days violations are kept; 0 for ever. */
  public int violationsDays() {
    return whole(Setting.VIOLATIONS_DAYS);
  }

  /** How many rows of violations are kept; 0 for all. */
  public int violationsRows() {
    return whole(Setting.VIOLATIONS_ROWS);
  }

  public Duration redisDeadline() {
    return Duration.ofMillis(whole(Setting.REDIS_DEADLINE_MS));
  }

  public String redisPrefix() {
    return required(Setting.REDIS_PREFIX);
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

  /** How many connections one client address may have to a listener, at least one. */
  public int maxConnectionsPerAddress() {
    int max = whole(Setting.MAX_CONNECTIONS_PER_ADDRESS);
    return max > 0 ? max : Math.max(1, maxConnections() / ADDRESS_SHARE);
  }

  public long requestTimeoutMillis() {
    return whole(Setting.REQUEST_TIMEOUT_MS);
  }

  /** How many threads serve requests, at least one. */
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
    return Boolean.parseBoolean(required(Setting.LOG_DECISIONS));
  }

  /** How requests to the proxy are logged; empty if they are not. */
  public Optional<AccessFormat> accessLog() {
    return AccessFormat.parse(required(Setting.ACCESS_LOG));
  }

  /** The file of that log; standard output if there is none. */
  public Optional<Path> accessLogFile() {
    return text(Setting.ACCESS_LOG_FILE).map(Path::of);
  }

  /** All that is in force, as a file that says the same but for secrets. */
  public String print() {
    return SettingsText.of(values);
  }

  private Optional<String> text(Setting setting) {
    SettingValue said = values.get(setting);
    return said == null ? Optional.empty() : Optional.of(said.value());
  }

  private String required(Setting setting) {
    return text(setting).orElseThrow(() -> new IllegalStateException(setting.key() + " is unset"));
  }

  private int whole(Setting setting) {
    return Integer.parseInt(required(setting));
  }

  /** Whether it was set, by whatever means. */
  boolean isGiven(Setting setting) {
    String origin = origin(setting);
    return origin != null && !origin.equals(DEFAULT);
  }

  @Nullable String origin(Setting setting) {
    SettingValue said = values.get(setting);
    return said == null ? null : said.origin();
  }

  /** Not what it holds, which may be secret. */
  @Override
  public String toString() {
    return "Settings " + values.keySet();
  }
}
