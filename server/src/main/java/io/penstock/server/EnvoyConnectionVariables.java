package io.penstock.server;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problems;
import io.penstock.server.EnvoyVariables.SettingTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the variables of envoyproxy/ratelimit about TLS and about the xDS server. Those of a
 * connection without TLS are ignored, as the reference does. Not thread-safe.
 */
final class EnvoyConnectionVariables {
  private static final String FILES = "FILE";
  private static final String XDS = "GRPC_XDS_SOTW";

  /** A part of a duration of Go, such as 1m or 1.5s. */
  private static final Pattern DURATION = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h)");

  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L);

  private static final Map<String, Setting> SERVER_TLS =
      Map.of(
          "GRPC_SERVER_TLS_CERT", Setting.ENVOY_TLS_CERT,
          "GRPC_SERVER_TLS_KEY", Setting.ENVOY_TLS_KEY,
          "GRPC_CLIENT_TLS_CACERT", Setting.ENVOY_TLS_CLIENT_CA);

  private static final Map<String, Setting> REDIS_TLS =
      Map.of(
          "REDIS_TLS_CACERT", Setting.REDIS_TLS_CA,
          "REDIS_TLS_CLIENT_CERT", Setting.REDIS_TLS_CERT,
          "REDIS_TLS_CLIENT_KEY", Setting.REDIS_TLS_KEY);

  private static final Map<String, Setting> XDS_TLS =
      Map.of(
          "CONFIG_GRPC_XDS_SERVER_TLS_CACERT", Setting.ENVOY_XDS_CA,
          "CONFIG_GRPC_XDS_CLIENT_TLS_CERT", Setting.ENVOY_XDS_CERT,
          "CONFIG_GRPC_XDS_CLIENT_TLS_KEY", Setting.ENVOY_XDS_KEY,
          "CONFIG_GRPC_XDS_SERVER_TLS_SAN", Setting.ENVOY_XDS_SERVER_NAME);

  private static final Map<String, Setting> XDS_TEXTS =
      Map.of(
          "CONFIG_GRPC_XDS_NODE_ID", Setting.ENVOY_XDS_NODE,
          "CONFIG_GRPC_XDS_NODE_METADATA", Setting.ENVOY_XDS_METADATA,
          "XDS_CLIENT_MAX_MSG_SIZE_IN_BYTES", Setting.ENVOY_XDS_MAX_MESSAGE);

  private static final Map<String, Setting> XDS_DURATIONS =
      Map.of(
          "XDS_CLIENT_BACKOFF_INITIAL_INTERVAL", Setting.ENVOY_XDS_BACKOFF_MS,
          "XDS_CLIENT_BACKOFF_MAX_INTERVAL", Setting.ENVOY_XDS_MAX_BACKOFF_MS);

  private static final String XDS_HEADERS = "CONFIG_GRPC_XDS_CLIENT_ADDITIONAL_HEADERS";

  private static final Set<String> OTHERS =
      Set.of(
          "CONFIG_TYPE",
          XDS_HEADERS,
          "CONFIG_GRPC_XDS_SERVER_URL",
          "CONFIG_GRPC_XDS_SERVER_USE_TLS",
          "GRPC_SERVER_USE_TLS",
          // Envoy Gateway sets it, but the reference doesn't read it.
          "GRPC_SERVER_TLS_CA_CERT",
          "GRPC_CLIENT_TLS_SAN",
          "REDIS_TLS_SKIP_HOSTNAME_VERIFICATION");

  private final Map<String, String> variables;
  private final Problems problems;
  private final SettingTarget target;

  EnvoyConnectionVariables(Map<String, String> variables, Problems problems, SettingTarget target) {
    this.variables = variables;
    this.problems = problems;
    this.target = target;
  }

  /** Returns the names of all variables that this class reads. */
  static List<String> names() {
    List<String> names = new ArrayList<>(OTHERS);
    for (Map<String, Setting> part :
        List.of(SERVER_TLS, REDIS_TLS, XDS_TLS, XDS_TEXTS, XDS_DURATIONS)) {
      names.addAll(part.keySet());
    }
    return names;
  }

  /**
   * Sets the certificates of the listener for Envoy.
   *
   * @param usesTls whether the variables turn TLS on
   */
  void server(boolean usesTls) {
    if (!usesTls) {
      return;
    }
    set(SERVER_TLS);
    if (text("GRPC_SERVER_TLS_CERT") == null) {
      problems.error(Location.of("GRPC_SERVER_TLS_CERT"), "", "is required for TLS");
    }
    if (text("GRPC_CLIENT_TLS_SAN") != null) {
      problems.error(
          Location.of("GRPC_CLIENT_TLS_SAN"),
          "",
          "must be empty: the names in client certificates are not checked");
    }
  }

  /** Sets the certificates of connections to Redis with TLS. */
  void redis(boolean skipsHost) {
    set(REDIS_TLS);
    if (skipsHost) {
      String name = "REDIS_TLS_SKIP_HOSTNAME_VERIFICATION";
      target.set(Setting.REDIS_TLS_VERIFY_HOST, "false", Location.of(name));
    }
  }

  /** Returns whether the configuration comes from an xDS server. */
  boolean isXds() {
    String type = variables.getOrDefault("CONFIG_TYPE", FILES).toUpperCase(Locale.ROOT);
    if (!type.equals(FILES) && !type.equals(XDS)) {
      problems.error(Location.of("CONFIG_TYPE"), "", "must be FILE or GRPC_XDS_SOTW: " + type);
    }
    return type.equals(XDS);
  }

  /** Sets the xDS server and how to connect to it. */
  void xds(boolean usesTls) {
    String url = variables.getOrDefault("CONFIG_GRPC_XDS_SERVER_URL", "localhost:18000");
    String server = url.replaceFirst("^(dns|passthrough):///?", "");
    target.set(
        Setting.ENVOY,
        (usesTls ? "grpcs://" : "grpc://") + server,
        Location.of("CONFIG_GRPC_XDS_SERVER_URL"));
    set(XDS_TEXTS);
    if (usesTls) {
      set(XDS_TLS);
    }
    String headers = text(XDS_HEADERS);
    if (headers != null) {
      target.set(
          Setting.ENVOY_XDS_HEADERS,
          headers.replaceAll("(^|,)([^:,]+):", "$1$2="),
          Location.of(XDS_HEADERS));
    }
    XDS_DURATIONS.forEach(
        (name, setting) -> {
          String duration = text(name);
          if (duration != null) {
            String millis = millis(duration);
            target.set(setting, millis == null ? duration : millis, Location.of(name));
          }
        });
  }

  private static @Nullable String millis(String duration) {
    Matcher part = DURATION.matcher(duration);
    double millis = 0;
    int end = 0;
    while (part.find() && part.start() == end) {
      Long unit = MILLIS.get(part.group(2));
      millis += Double.parseDouble(part.group(1)) * (unit == null ? 0 : unit);
      end = part.end();
    }
    return end == duration.length() ? String.valueOf(Math.round(millis)) : null;
  }

  private void set(Map<String, Setting> settings) {
    settings.forEach(
        (name, setting) -> {
          String value = text(name);
          if (value != null) {
            target.set(setting, value, Location.of(name));
          }
        });
  }

  private @Nullable String text(String name) {
    String value = variables.get(name);
    return value == null || value.isEmpty() ? null : value;
  }
}
