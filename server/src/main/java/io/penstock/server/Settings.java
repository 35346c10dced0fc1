package io.penstock.server;

import io.lettuce.core.RedisURI;
import io.penstock.policy.http.HeaderForm;
import io.penstock.policy.http.Jitter;
import io.penstock.policy.load.Problem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the process was told, checked. Immutable. Made by {@link SettingsReader}. */
public final class Settings {
  /** Stands for what must not be shown. */
  static final String MASK = "********";

  private static final int MILLE = 10;

  private final Map<Setting, Said> values;
  private final List<Problem> warnings;

  /**
   * A value and who said it.
   *
   * @param origin the flag, the variable, the place in a file, or {@code default}
   */
  record Said(String value, String origin) {}

  Settings(Map<Setting, Said> values, List<Problem> warnings) {
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

  /** All that is in force, as a file that says the same but for secrets. */
  public String print() {
    return SettingsText.of(values);
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
