package io.penstock.server;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import io.penstock.policy.address.IpAddress;
import io.penstock.policy.http.HeaderFormat;
import io.penstock.server.database.DatabaseAddress;
import io.penstock.server.http.AccessTokens;
import io.penstock.server.proxy.Upstream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Validates the values of settings. */
final class SettingCheck {
  private static final int MIN_TOKEN_LENGTH = 16;

  private SettingCheck() {}

  /** Returns what is wrong with a value and what would be right; null if it is valid. */
  static @Nullable String of(Setting setting, String value) {
    return switch (setting) {
      case PORT, ADMIN_PORT, PROXY_PORT, ENVOY_PORT, ENVOY_DEBUG_PORT, ENVOY_METRICS_PORT ->
          whole(value, 0, 65_535);
      case RETRY_JITTER_PERCENT -> whole(value, 0, 100);
      case RETRY_JITTER_SECONDS -> whole(value, 0, 86_400);
      case REDIS_DEADLINE_MS, REDIS_START_TIMEOUT_MS -> whole(value, 1, 60_000);
      case NODES -> whole(value, 1, 100_000);
      case MAX_KEYS -> whole(value, 1, 1 << 30);
      case MAX_CONNECTIONS -> whole(value, 1, 10_000_000);
      case MAX_CONNECTIONS_PER_ADDRESS -> whole(value, 0, 10_000_000);
      case REQUEST_TIMEOUT_MS -> whole(value, 1, 3_600_000);
      case UPSTREAM_CONNECTIONS -> whole(value, 1, 100_000);
      case UPSTREAM_CONNECTIONS_PER_CLIENT -> whole(value, 0, 10_000_000);
      case CLIENT_MIN_RATE -> whole(value, 1, 1 << 30);
      case UPSTREAM_QUEUE, MAX_DELAYED -> whole(value, 0, 1_000_000);
      case UPSTREAM_CONNECT_MS,
          UPSTREAM_FIRST_BYTE_MS,
          UPSTREAM_IDLE_MS,
          UPSTREAM_QUEUE_MS,
          CLIENT_STALL_MS ->
          whole(value, 1, 86_400_000);
      case UPSTREAM_TOTAL_MS -> whole(value, 0, 86_400_000);
      case UPSTREAM_HOST -> oneOf(value, "keep", "own");
      case UNDERSCORE_HEADERS -> oneOf(value, "drop", "pass");
      case UPSTREAM -> upstream(value);
      case WORKERS -> whole(value, 0, 1_024);
      case SHUTDOWN_MS -> whole(value, 0, 600_000);
      case ENVOY_ALGORITHM -> oneOf(value, "token_bucket", "fixed_window");
      case LOG_FORMAT -> oneOf(value, "text", "json");
      case ACCESS_LOG -> oneOf(value, "off", "common", "combined", "json");
      case LOG_LEVEL -> oneOf(value, "error", "warn", "info", "debug");
      case LOG_DECISIONS,
          UPSTREAM_HTTP2,
          UPSTREAM_FORWARDED,
          POSTGRES_MIGRATE,
          VIOLATIONS,
          REDIS_FAIL_FAST,
          REDIS_TLS_VERIFY_HOST,
          ENVOY_VARIABLES,
          ENVOY_MERGE_DOMAINS,
          ENVOY_OVERDRAFT,
          ENVOY_START_WITHOUT_CONFIG,
          ENVOY_HEALTH_NEEDS_CONFIG,
          ENVOY_HEADERS,
          ENVOY_SHADOW,
          ENVOY_QUOTA,
          ENVOY_DYNAMIC_METADATA ->
          oneOf(value, "true", "false");
      case TOKEN, ADMIN_TOKEN ->
          value.length() >= MIN_TOKEN_LENGTH
              ? null
              : "must have at least " + MIN_TOKEN_LENGTH + " characters";
      case HEADERS -> parsed(() -> HeaderFormat.parse(value));
      case REDIS -> RedisUrl.check(value);
      case POSTGRES -> DatabaseAddress.wrong(value);
      case VIOLATIONS_QUEUE -> whole(value, 1, 1_000_000);
      case VIOLATIONS_DAYS -> whole(value, 0, 36_500);
      case VIOLATIONS_ROWS -> whole(value, 0, Integer.MAX_VALUE);
      case VIOLATIONS_USER -> parsed(() -> checkUserKey(value));
      case ADMIN_TOKENS -> parsed(() -> AccessTokens.parse(value));
      case ENVOY -> EnvoySettings.checkSource(value);
      case ENVOY_XDS_METADATA, ENVOY_XDS_HEADERS -> EnvoySettings.checkPairs(value);
      case ENVOY_HEADER_NAMES -> EnvoySettings.checkHeaders(value);
      case ENVOY_XDS_BACKOFF_MS, ENVOY_XDS_MAX_BACKOFF_MS -> whole(value, 1, 86_400_000);
      case ENVOY_XDS_MAX_MESSAGE -> whole(value, 1, 1 << 30);
      case POLICY, POSTGRES_SNAPSHOT, ACCESS_LOG_FILE -> path(value);
      case UPSTREAM_CA,
          PROXY_TLS_CLIENT_CA,
          ENVOY_TLS_CLIENT_CA,
          ENVOY_XDS_CA,
          ENVOY_XDS_CERT,
          ENVOY_XDS_KEY,
          REDIS_TLS_CA,
          REDIS_TLS_CERT,
          REDIS_TLS_KEY ->
          readable(value);
      case PROXY_TLS_CERT, PROXY_TLS_KEY, ENVOY_TLS_CERT, ENVOY_TLS_KEY ->
          Settings.list(value).stream()
              .map(SettingCheck::readable)
              .filter(Objects::nonNull)
              .findFirst()
              .orElse(null);
      case PROXY_TLS_CLIENT_AUTH -> oneOf(value, "required", "optional");
      case PROXY_TLS_PROTOCOLS, PROXY_TLS_CIPHERS -> TlsCheck.of(setting, value);
      case ADMIN_HOSTS ->
          Settings.list(value).stream().allMatch(SettingCheck::isHost)
              ? null
              : "must be host names or addresses without ports, separated by commas: " + value;
      case ENVOY_METRICS_PATH ->
          value.startsWith("/") ? null : "must be a path such as /metrics: " + value;
      case HOST,
          ADMIN_HOST,
          PROXY_HOST,
          ENVOY_HOST,
          ENVOY_DEBUG_HOST,
          ENVOY_METRICS_HOST,
          ENVOY_XDS_NODE,
          ENVOY_XDS_SERVER_NAME,
          REDIS_PREFIX ->
          value.isBlank() ? "must not be empty" : null;
    };
  }

  /**
   * Rejects attributes that Penstock otherwise stores only as a hash: violations contain the plain
   * value.
   */
  private static void checkUserKey(String value) {
    for (Attribute attribute : KeyPart.parse(value).alternatives()) {
      if (attribute.source() != Attribute.AttributeSource.STATED
          && attribute.source() != Attribute.AttributeSource.CLAIM) {
        throw new IllegalArgumentException("must be bare names or jwt:<claim>: " + value);
      }
    }
  }

  private static @Nullable String upstream(String value) {
    try {
      String problem = Upstream.check(URI.create(value));
      return problem == null ? null : problem + ": " + withoutUser(value);
    } catch (IllegalArgumentException e) {
      return "must be a URL such as http://localhost:3000: " + withoutUser(value);
    }
  }

  /** Masks everything before an @, which may be a password. */
  private static String withoutUser(String url) {
    int at = url.lastIndexOf('@');
    return at < 0 ? url : Settings.MASK + url.substring(at);
  }

  private static @Nullable String whole(String value, int min, int max) {
    try {
      int number = Integer.parseInt(value);
      if (number >= min && number <= max) {
        return null;
      }
    } catch (NumberFormatException notANumber) {
      // Handled by the message below.
    }
    return "must be a whole number from " + min + " to " + max + ": " + value;
  }

  private static @Nullable String oneOf(String value, String... known) {
    return List.of(known).contains(value)
        ? null
        : "must be " + String.join(" | ", known) + ": " + value;
  }

  static @Nullable String path(String value) {
    try {
      return Path.of(value).toString().isBlank() ? "must not be empty" : null;
    } catch (InvalidPathException e) {
      return "must be the path of a file or a folder: " + value;
    }
  }

  private static @Nullable String readable(String value) {
    String problem = path(value);
    if (problem != null) {
      return problem;
    }
    Path file = Path.of(value);
    return Files.isReadable(file) && Files.isRegularFile(file)
        ? null
        : "must be a regular file that can be read: " + value;
  }

  private static @Nullable String parsed(Runnable parser) {
    try {
      parser.run();
      return null;
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static boolean isHost(String text) {
    return IpAddress.parse(text) != null || text.matches("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*\\.?");
  }

  /** Returns whether an address can only be reached from this machine. */
  static boolean isLoopback(String host) {
    IpAddress address = IpAddress.parse(host);
    return host.equals("localhost")
        || (address != null && (address.toString().startsWith("127.") || host.equals("::1")));
  }
}
