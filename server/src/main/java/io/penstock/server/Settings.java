package io.penstock.server;

import io.lettuce.core.RedisURI;
import io.penstock.policy.http.HeaderForm;
import io.penstock.policy.http.Jitter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the process was told, checked. Immutable. Made by {@link SettingsReader}. */
public final class Settings {
  private static final int MILLE = 10;

  private final Map<Setting, Said> values;

  /**
   * A value and who said it.
   *
   * @param origin the flag, the variable, the place in a file, or {@code default}
   */
  record Said(String value, String origin) {}

  Settings(Map<Setting, Said> values) {
    this.values = new EnumMap<>(values);
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

  public Optional<String> token() {
    return text(Setting.TOKEN);
  }

  public Optional<String> adminToken() {
    return text(Setting.ADMIN_TOKEN);
  }

  public HeaderForm headers() {
    return HeaderForm.parse(required(Setting.HEADERS));
  }

  public Jitter jitter() {
    return new Jitter(
        MILLE * whole(Setting.RETRY_JITTER_PERCENT), whole(Setting.RETRY_JITTER_SECONDS));
  }

  /** The Redis to share limits through; in process if there is none. */
  public Optional<RedisURI> redis() {
    return text(Setting.REDIS).map(RedisURI::create);
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

  /** All that is in force, a line each as a file would have it, with where it is from. */
  public String print() {
    StringBuilder lines = new StringBuilder();
    for (Setting setting : Setting.values()) {
      Said said = values.get(setting);
      String value = said == null ? "" : setting.isSecret() ? "********" : shown(setting, said);
      lines
          .append(said == null ? "# " : "")
          .append(setting.key())
          .append(':')
          .append(value.isEmpty() ? "" : " " + value)
          .append("  # ")
          .append(said == null ? "not set" : said.origin())
          .append('\n');
    }
    return lines.toString();
  }

  /** Redis URLs without their password. */
  private static String shown(Setting setting, Said said) {
    return setting == Setting.REDIS ? RedisURI.create(said.value()).toString() : said.value();
  }

  private Optional<String> text(Setting setting) {
    Said said = values.get(setting);
    return said == null ? Optional.empty() : Optional.of(said.value());
  }

  private String required(Setting setting) {
    return text(setting).orElseThrow(() -> new IllegalStateException(setting.key() + " is unset"));
  }

  private int whole(Setting setting) {
    return Integer.parseInt(required(setting));
  }

  @Nullable String origin(Setting setting) {
    Said said = values.get(setting);
    return said == null ? null : said.origin();
  }

  /** Not what it holds, which may be secret. */
  @Override
  public String toString() {
    return "Settings " + values.keySet();
  }
}
