package io.penstock.cli;

import io.penstock.server.PenstockServer;
import io.penstock.server.Settings;
import java.util.ArrayList;
import java.util.List;

/** The lines that {@code penstock serve} prints at startup: addresses, and commands to try. */
final class StartupBanner {
  private StartupBanner() {}

  static List<String> lines(Settings settings, PenstockServer server) {
    List<String> lines = new ArrayList<>();
    lines.add("decisions on http://" + bracketed(settings.host()) + ":" + server.port());
    server
        .proxyPort()
        .ifPresent(
            port ->
                lines.add(
                    (settings.proxyTls().isPresent() ? "proxy on https://" : "proxy on http://")
                        + bracketed(settings.proxyHost())
                        + ":"
                        + port));
    lines.add("admin on http://" + bracketed(settings.adminHost()) + ":" + server.adminPort());
    lines.add("");
    boolean sample = settings.policy().isEmpty() && settings.postgres().isEmpty();
    lines.add("Try it:");
    String scheme = settings.proxyTls().isPresent() ? "-k https" : "http";
    server
        .proxyPort()
        .ifPresent(port -> lines.add("  curl -i " + scheme + "://localhost:" + port + "/"));
    String token =
        settings.token().isEmpty() ? "" : " -H \"Authorization: Bearer $PENSTOCK_TOKEN\"";
    String example = sample ? " -H 'X-Original-Method: POST' -H 'X-Original-URI: /login'" : "";
    lines.add(
        "  curl -i" + token + example + " http://localhost:" + server.port() + "/v1/forward-auth");
    if (sample) {
      lines.add("");
      lines.add("This is the sample policy. To write your own:");
      lines.add("  penstock sample > policy.yaml");
    }
    return lines;
  }

  private static String bracketed(String host) {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }
}
