package io.penstock.server;

import io.penstock.server.envoy.AnswerHeaders;
import io.penstock.server.envoy.EnvoyOptions;
import io.penstock.server.envoy.EnvoySource;
import io.penstock.server.envoy.LimitHeaders;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the settings of the listener for Envoy. */
final class EnvoySettings {
  private static final String PLAINTEXT = "grpc://";
  private static final String WITH_TLS = "grpcs://";
  private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");
  private static final int HEADERS = 3;

  private EnvoySettings() {}

  static EnvoyOptions read(String source, Settings settings) {
    return new EnvoyOptions(
        isServer(source) ? server(source, settings) : new EnvoySource.ConfigFiles(Path.of(source)),
        settings.flag(Setting.ENVOY_MERGE_DOMAINS),
        settings.flag(Setting.ENVOY_START_WITHOUT_CONFIG),
        settings.flag(Setting.ENVOY_HEALTH_NEEDS_CONFIG),
        settings.required(Setting.ENVOY_ALGORITHM).equals("fixed_window"),
        settings.flag(Setting.ENVOY_OVERDRAFT),
        new AnswerHeaders(
            settings.flag(Setting.ENVOY_HEADERS)
                ? Optional.of(headers(settings.required(Setting.ENVOY_HEADER_NAMES)))
                : Optional.empty()),
        settings.flag(Setting.ENVOY_SHADOW),
        settings.flag(Setting.ENVOY_QUOTA),
        settings.flag(Setting.ENVOY_DYNAMIC_METADATA),
        settings.redisDeadline());
  }

  /** Returns whether the configuration comes from an xDS server, and not from files. */
  static boolean isServer(String source) {
    return source.startsWith(PLAINTEXT) || source.startsWith(WITH_TLS);
  }

  private static EnvoySource server(String url, Settings settings) {
    URI parsed = URI.create(url);
    return new EnvoySource.XdsServer(
        parsed.getHost().replaceAll("[\\[\\]]", ""),
        parsed.getPort(),
        url.startsWith(WITH_TLS)
            ? Optional.of(
                new EnvoySource.XdsTls(
                    settings.text(Setting.ENVOY_XDS_CA).map(Path::of),
                    settings.text(Setting.ENVOY_XDS_CERT).map(Path::of),
                    settings.text(Setting.ENVOY_XDS_KEY).map(Path::of),
                    settings.text(Setting.ENVOY_XDS_SERVER_NAME)))
            : Optional.empty(),
        settings.required(Setting.ENVOY_XDS_NODE),
        pairs(settings.text(Setting.ENVOY_XDS_METADATA)),
        pairs(settings.text(Setting.ENVOY_XDS_HEADERS)),
        settings.whole(Setting.ENVOY_XDS_MAX_MESSAGE),
        new EnvoySource.XdsBackoff(
            Duration.ofMillis(settings.whole(Setting.ENVOY_XDS_BACKOFF_MS)),
            Duration.ofMillis(settings.whole(Setting.ENVOY_XDS_MAX_BACKOFF_MS))));
  }

  private static Map<String, String> pairs(Optional<String> list) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String pair : list.map(Settings::list).orElse(List.of())) {
      int equals = pair.indexOf('=');
      pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    return pairs;
  }

  private static LimitHeaders headers(String list) {
    List<String> names = Settings.list(list);
    return new LimitHeaders(names.get(0), names.get(1), names.get(2));
  }

  /** Returns what is wrong with a source; null if it is valid. */
  static @Nullable String checkSource(String source) {
    if (!isServer(source)) {
      return SettingCheck.path(source);
    }
    try {
      URI url = new URI(source);
      return url.getHost() != null && url.getPort() > 0 && url.getRawPath().isEmpty()
          ? null
          : "must be an xDS server such as grpcs://envoy-gateway:18001: " + source;
    } catch (URISyntaxException e) {
      return "must be an xDS server such as grpcs://envoy-gateway:18001: " + source;
    }
  }

  static @Nullable String checkPairs(String list) {
    for (String pair : Settings.list(list)) {
      if (pair.indexOf('=') < 1) {
        return "must be pairs such as name=value, separated by commas";
      }
    }
    return null;
  }

  static @Nullable String checkHeaders(String list) {
    List<String> names = Settings.list(list);
    return names.size() == HEADERS && names.stream().allMatch(n -> HEADER.matcher(n).matches())
        ? null
        : "must be the names of the headers for the limit, the remaining requests and the reset,"
            + " separated by commas: "
            + list;
  }
}
