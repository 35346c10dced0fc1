package io.penstock.server;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problems;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the environment variables of envoyproxy/ratelimit as settings. Those that would change what
 * is limited, or how connections are protected, and have no equivalent are errors; all others that
 * have no effect are warnings. Not thread-safe.
 */
final class EnvoyVariables {
  /** The variables with another form of value. */
  private static final Map<String, Setting> TEXTS =
      Map.of(
          "HOST", Setting.HOST,
          "PORT", Setting.PORT,
          "GRPC_HOST", Setting.ENVOY_HOST,
          "GRPC_PORT", Setting.ENVOY_PORT,
          "LOG_FORMAT", Setting.LOG_FORMAT,
          "CACHE_KEY_PREFIX", Setting.REDIS_PREFIX);

  private static final Map<String, Setting> FLAGS =
      Map.of(
          "MERGE_DOMAIN_CONFIG", Setting.ENVOY_MERGE_DOMAINS,
          "LIMIT_RESPONSE_HEADERS_ENABLED", Setting.ENVOY_HEADERS,
          "SHADOW_MODE", Setting.ENVOY_SHADOW,
          "QUOTA_MODE", Setting.ENVOY_QUOTA,
          "FORCE_START_WITHOUT_INITIAL_CONFIG", Setting.ENVOY_START_WITHOUT_CONFIG,
          "HEALTHY_WITH_AT_LEAST_ONE_CONFIG_LOADED", Setting.ENVOY_HEALTH_NEEDS_CONFIG,
          "RESPONSE_DYNAMIC_METADATA", Setting.ENVOY_DYNAMIC_METADATA);

  /** The names of response headers with their defaults, in the order of the setting. */
  private static final Map<String, String> HEADERS = headers();

  private static final Map<String, String> LOG_LEVELS =
      Map.of(
          "panic", "error",
          "fatal", "error",
          "error", "error",
          "warn", "warn",
          "warning", "warn",
          "info", "info",
          "debug", "debug",
          "trace", "debug");

  /** The only supported values of variables, of which the first is the default. */
  private static final Map<String, List<String>> REQUIRED =
      Map.of(
          "BACKEND_TYPE", List.of("redis"),
          "GRPC_UDS", List.of(""));

  private static final Pattern URL_SCHEME = Pattern.compile("(?<=^|,)rediss?://");

  private static final Set<String> TRUE = Set.of("1", "t", "true");
  private static final Set<String> FALSE = Set.of("0", "f", "false");

  /** Variables that are read, or that are meaningless here. */
  private static final Set<String> SILENT =
      Set.of(
          "RUNTIME_ROOT",
          "RUNTIME_SUBDIRECTORY",
          "RUNTIME_APPDIRECTORY",
          "RUNTIME_WATCH_ROOT",
          "LOG_LEVEL",
          "REDIS_URL",
          "REDIS_TYPE",
          "REDIS_SOCKET_TYPE",
          "REDIS_AUTH",
          "REDIS_TLS");

  private static final List<String> PREFIXES_WITHOUT_EFFECT =
      List.of(
          "CONFIG_GRPC_XDS_SERVER_CONNECT_RETRY_INTERVAL",
          "DISABLE_STATS",
          "EXPIRATION_JITTER_",
          "EXTRA_TAGS",
          "GRPC_MAX_CONNECTION_AGE",
          "LOCAL_CACHE_",
          "MEMCACHE_",
          "NEAR_LIMIT_RATIO",
          "PROMETHEUS_MAPPER_YAML",
          "PROMETHEUS_RESPONSE_TIME_",
          "REDIS_CLUSTER_",
          "REDIS_HEALTH_CHECK_",
          "REDIS_PERSECOND",
          "REDIS_PIPELINE_",
          "REDIS_POOL_",
          "REDIS_SENTINEL_AUTH",
          "REDIS_STARTUP_",
          "REDIS_TIMEOUT",
          "RUNTIME_IGNOREDOTFILES",
          "STATSD_",
          "STATS_FLUSH_",
          "STOP_CACHE_KEY_",
          "TRACING_",
          "USE_DOG_STATSD",
          "USE_STATSD",
          "XDS_CLIENT_");

  private final Map<String, String> variables;
  private final Problems problems;
  private final SettingTarget target;
  private final EnvoyConnectionVariables connections;

  /** Receives settings. */
  interface SettingTarget {
    void set(Setting setting, String value, Location at);
  }

  private EnvoyVariables(Map<String, String> variables, Problems problems, SettingTarget target) {
    this.variables = variables;
    this.problems = problems;
    this.target = target;
    this.connections = new EnvoyConnectionVariables(variables, problems, target);
  }

  /** Sets the settings that the variables stand for. */
  static void read(Map<String, String> variables, Problems problems, SettingTarget target) {
    new EnvoyVariables(variables, problems, target).read();
  }

  private void read() {
    if (connections.isXds()) {
      connections.xds(flag("CONFIG_GRPC_XDS_SERVER_USE_TLS"));
    } else {
      target.set(Setting.ENVOY, config().toString(), Location.of("RUNTIME_ROOT"));
    }
    connections.server(flag("GRPC_SERVER_USE_TLS"));
    headerNames();
    TEXTS.forEach(
        (name, setting) -> {
          String value = text(name);
          if (value != null && !MisspelledVariables.isSetByKubernetes(name, value)) {
            target.set(setting, value, Location.of(name));
          }
        });
    FLAGS.forEach(
        (name, setting) -> {
          if (text(name) != null) {
            target.set(setting, String.valueOf(flag(name)), Location.of(name));
          }
        });
    String level = text("LOG_LEVEL");
    if (level != null) {
      String known = LOG_LEVELS.getOrDefault(level.toLowerCase(Locale.ROOT), level);
      target.set(Setting.LOG_LEVEL, known, Location.of("LOG_LEVEL"));
    }
    redis();
    REQUIRED.forEach(this::require);
    reportUnused();
  }

  private static Map<String, String> headers() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("LIMIT_LIMIT_HEADER", "RateLimit-Limit");
    headers.put("LIMIT_REMAINING_HEADER", "RateLimit-Remaining");
    headers.put("LIMIT_RESET_HEADER", "RateLimit-Reset");
    return Collections.unmodifiableMap(headers);
  }

  private void headerNames() {
    HEADERS.keySet().stream()
        .filter(name -> text(name) != null && flag("LIMIT_RESPONSE_HEADERS_ENABLED"))
        .findFirst()
        .ifPresent(
            first ->
                target.set(
                    Setting.ENVOY_HEADER_NAMES,
                    HEADERS.entrySet().stream()
                        .map(header -> variables.getOrDefault(header.getKey(), header.getValue()))
                        .collect(Collectors.joining(",")),
                    Location.of(first)));
  }

  private Path config() {
    String root = variables.getOrDefault("RUNTIME_ROOT", "/srv/runtime_data/current");
    String sub = variables.getOrDefault("RUNTIME_SUBDIRECTORY", "");
    String app = variables.getOrDefault("RUNTIME_APPDIRECTORY", "config");
    return Path.of(root, sub, app);
  }

  private void redis() {
    String url = text("REDIS_URL");
    if (url == null) {
      problems.warning(
          Location.of("REDIS_URL"), "", "is not set, so each node limits by itself, in memory");
      return;
    }
    String type = variables.getOrDefault("REDIS_TYPE", "single").toLowerCase(Locale.ROOT);
    String socket = variables.getOrDefault("REDIS_SOCKET_TYPE", "unix").toLowerCase(Locale.ROOT);
    if (url.startsWith("/") || (type.equals("single") && !List.of("tcp", "tls").contains(socket))) {
      problems.error(
          Location.of("REDIS_SOCKET_TYPE"), "", "must be tcp: unix sockets are not supported");
      return;
    }
    String address = address(type, url);
    if (address != null) {
      target.set(Setting.REDIS, address, Location.of("REDIS_URL"));
      if (address.startsWith("rediss")) {
        connections.redis(flag("REDIS_TLS_SKIP_HOSTNAME_VERIFICATION"));
      }
    }
  }

  private @Nullable String address(String type, String url) {
    String scheme = flag("REDIS_TLS") || url.contains("rediss://") ? "rediss" : "redis";
    String stated = URL_SCHEME.matcher(url).replaceAll("");
    if (stated.contains("@") && text("REDIS_AUTH") != null) {
      problems.error(
          Location.of("REDIS_AUTH"), "", "must not be set if REDIS_URL contains a password");
      return null;
    }
    String auth = auth();
    return switch (type) {
      case "single" -> scheme + "://" + auth + stated;
      case "cluster" -> scheme + "-cluster://" + auth + stated;
      case "sentinel" -> {
        int comma = stated.indexOf(',');
        if (comma > 0) {
          yield scheme
              + "-sentinel://"
              + auth
              + stated.substring(comma + 1)
              + "#"
              + stated.substring(0, comma);
        }
        problems.error(
            Location.of("REDIS_URL"),
            "",
            "must be the name of the master and the sentinels, separated by commas");
        yield null;
      }
      default -> {
        problems.error(
            Location.of("REDIS_TYPE"), "", "must be single | sentinel | cluster: " + type);
        yield null;
      }
    };
  }

  /** Returns the user and password of a URL, percent-encoded; empty if there are none. */
  private String auth() {
    String auth = text("REDIS_AUTH");
    if (auth == null) {
      return "";
    }
    int colon = auth.indexOf(':');
    return colon < 0
        ? ":" + encode(auth) + "@"
        : encode(auth.substring(0, colon)) + ":" + encode(auth.substring(colon + 1)) + "@";
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
  }

  private void require(String name, List<String> supported) {
    String value = variables.getOrDefault(name, supported.get(0));
    if (supported.stream().noneMatch(value::equalsIgnoreCase)) {
      String only = supported.get(0).isEmpty() ? "must be empty" : "must be " + supported.get(0);
      problems.error(Location.of(name), "", only + "; anything else is not supported: " + value);
    }
  }

  private void reportUnused() {
    Set<String> used = new LinkedHashSet<>(SILENT);
    used.addAll(TEXTS.keySet());
    used.addAll(FLAGS.keySet());
    used.addAll(REQUIRED.keySet());
    used.addAll(HEADERS.keySet());
    used.addAll(EnvoyConnectionVariables.names());
    variables.keySet().stream()
        .sorted()
        .filter(name -> !used.contains(name))
        .filter(name -> PREFIXES_WITHOUT_EFFECT.stream().anyMatch(name::startsWith))
        .forEach(
            name -> problems.warning(Location.of(name), "", "has no effect; see docs/envoy.md"));
  }

  private boolean flag(String name) {
    String value = variables.getOrDefault(name, "false").toLowerCase(Locale.ROOT);
    if (!TRUE.contains(value) && !FALSE.contains(value)) {
      problems.error(Location.of(name), "", "must be true or false: " + value);
    }
    return TRUE.contains(value);
  }

  private @Nullable String text(String name) {
    String value = variables.get(name);
    return value == null || value.isEmpty() ? null : value;
  }
}
