package io.penstock.server;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problems;
import io.penstock.server.tls.TlsException;
import io.penstock.server.tls.TlsFiles;
import io.penstock.server.tls.TlsMaterial;
import java.nio.file.Path;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Validates the TLS settings, alone and in combination. */
final class TlsCheck {
  private static final String TLS_1_2 = "TLSv1.2";
  private static final String TLS_1_3 = "TLSv1.3";

  /** Part of the name of every cipher suite older than TLS 1.3. */
  private static final String PRE_TLS_1_3 = "_WITH_";

  /** The settings of connections to servers that have no effect without TLS. */
  private static final Set<Setting> CLIENT_TLS =
      Set.of(
          Setting.REDIS_TLS_CA,
          Setting.REDIS_TLS_CERT,
          Setting.REDIS_TLS_KEY,
          Setting.ENVOY_XDS_CA,
          Setting.ENVOY_XDS_CERT,
          Setting.ENVOY_XDS_KEY,
          Setting.ENVOY_XDS_SERVER_NAME);

  private TlsCheck() {}

  /** Returns what is wrong with a list; null if it is valid. */
  static @Nullable String of(Setting setting, String value) {
    List<String> known =
        setting == Setting.PROXY_TLS_PROTOCOLS ? List.of(TLS_1_2, TLS_1_3) : supportedSuites();
    for (String item : Settings.list(value)) {
      if (!known.contains(item)) {
        return setting == Setting.PROXY_TLS_PROTOCOLS
            ? "must be TLSv1.2, TLSv1.3 or both, separated by commas: " + item
            : "must be cipher suites that this JVM supports, such as TLS_AES_128_GCM_SHA256: "
                + item;
      }
    }
    return null;
  }

  private static List<String> supportedSuites() {
    try {
      return List.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("no default TLS context", e);
    }
  }

  /** Adds the errors in the combination of all TLS settings. */
  static void checkCombinations(Settings settings, Problems problems) {
    upstream(settings, problems);
    client("redis", "rediss", Setting.REDIS_TLS_CERT, Setting.REDIS_TLS_KEY, settings, problems);
    client("envoy", "grpcs", Setting.ENVOY_XDS_CERT, Setting.ENVOY_XDS_KEY, settings, problems);
    listener(ListenerTls.PROXY, settings, problems);
    listener(ListenerTls.ENVOY, settings, problems);
  }

  /** The settings of a listener's certificates. */
  private enum ListenerTls {
    PROXY(Setting.PROXY_TLS_CERT, Setting.PROXY_TLS_KEY, Setting.PROXY_TLS_CLIENT_CA),
    ENVOY(Setting.ENVOY_TLS_CERT, Setting.ENVOY_TLS_KEY, Setting.ENVOY_TLS_CLIENT_CA);

    final Setting certificate;
    final Setting key;
    final Setting clientCa;

    ListenerTls(Setting certificate, Setting key, Setting clientCa) {
      this.certificate = certificate;
      this.key = key;
      this.clientCa = clientCa;
    }

    Setting setting(TlsException.TlsPart part) {
      return switch (part) {
        case CERTIFICATE -> certificate;
        case KEY -> key;
        case CLIENT_CA -> clientCa;
      };
    }
  }

  /** Checks the settings of a connection that uses TLS if its URL requests it. */
  private static void client(
      String url,
      String scheme,
      Setting certificate,
      Setting key,
      Settings settings,
      Problems problems) {
    String prefix = certificate.name().substring(0, certificate.name().length() - "CERT".length());
    Setting target = Setting.valueOf(url.toUpperCase(Locale.ROOT));
    boolean uses = settings.text(target).orElse(scheme).startsWith(scheme);
    for (Setting setting : Setting.values()) {
      if (isOfClient(setting, prefix) && settings.isGiven(setting) && !uses) {
        problems.error(
            at(settings, setting), "", setting.key() + " needs " + url + " with " + scheme + "://");
      }
    }
    if (settings.isGiven(certificate) != settings.isGiven(key)) {
      Setting given = settings.isGiven(key) ? key : certificate;
      problems.error(
          at(settings, given),
          "",
          certificate.key() + " and " + key.key() + " must be set together");
    }
  }

  private static boolean isOfClient(Setting setting, String prefix) {
    return setting.name().startsWith(prefix) && CLIENT_TLS.contains(setting);
  }

  private static void upstream(Settings settings, Problems problems) {
    Path authorities = settings.upstreamCa().orElse(null);
    if (authorities != null) {
      if (settings.upstream().filter(upstream -> !upstream.isSecure()).isPresent()) {
        problems.error(
            at(settings, Setting.UPSTREAM_CA),
            "",
            "upstream_ca needs an upstream that begins with https://");
      }
      try {
        TlsMaterial.checkAuthorities(authorities);
      } catch (TlsException e) {
        problems.error(at(settings, Setting.UPSTREAM_CA), "", String.valueOf(e.getMessage()));
      }
    }
  }

  private static void listener(ListenerTls listener, Settings settings, Problems problems) {
    int certificates = settings.files(listener.certificate).size();
    int keys = settings.files(listener.key).size();
    if (certificates != keys) {
      Setting given = certificates > keys ? listener.certificate : listener.key;
      problems.error(
          at(settings, given),
          "",
          listener.certificate.key()
              + " and "
              + listener.key.key()
              + " must be set together, one key for each certificate: "
              + certificates
              + " and "
              + keys);
      return;
    }
    TlsFiles files =
        (listener == ListenerTls.PROXY ? settings.proxyTls() : settings.envoyTls()).orElse(null);
    if (files == null) {
      return;
    }
    int before = problems.errorCount();
    suites(settings, files, problems);
    if (problems.errorCount() > before) {
      return;
    }
    try {
      TlsMaterial.load(files);
    } catch (TlsException e) {
      problems.error(at(settings, listener.setting(e.part())), "", String.valueOf(e.getMessage()));
    }
  }

  private static void suites(Settings settings, TlsFiles files, Problems problems) {
    for (String protocol : files.protocols()) {
      boolean preTls13 = protocol.equals(TLS_1_2);
      if (files.ciphers().stream().noneMatch(suite -> suite.contains(PRE_TLS_1_3) == preTls13)) {
        problems.error(
            at(settings, Setting.PROXY_TLS_CIPHERS),
            "",
            "proxy_tls_ciphers must contain a suite for " + protocol + " in proxy_tls_protocols");
      }
    }
    for (String suite : files.ciphers()) {
      if (suite.contains(PRE_TLS_1_3) && (!suite.contains("DHE_") || suite.contains("_CBC_"))) {
        problems.warning(
            at(settings, Setting.PROXY_TLS_CIPHERS),
            "",
            suite + " has no forward secrecy or no authenticated encryption");
      }
    }
  }

  private static Location at(Settings settings, Setting setting) {
    return Location.of(String.valueOf(settings.origin(setting)));
  }
}
