package io.penstock.cli;

import io.penstock.policy.Policy;
import io.penstock.policy.cases.DenialExample;
import io.penstock.server.PenstockServer;
import io.penstock.server.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The lines that {@code penstock serve} prints at startup: addresses, and commands to try. */
final class StartupBanner {
  /** The command that started the program, which the launchers pass on. */
  private static final String COMMAND_PROPERTY = "penstock.command";

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
    String admin = "http://" + bracketed(settings.adminHost()) + ":" + server.adminPort();
    lines.add("admin on " + admin);
    lines.add("console on " + admin + "/");
    addExamples(settings, server, lines);
    if (settings.policy().isEmpty() && settings.postgres().isEmpty()) {
      lines.add("");
      lines.add("This is the sample policy. To write your own:");
      lines.add("  " + System.getProperty(COMMAND_PROPERTY, "penstock") + " init");
    }
    return lines;
  }

  /** Adds commands that end in a denial under the active policy, if there are any. */
  private static void addExamples(Settings settings, PenstockServer server, List<String> lines) {
    Policy policy = server.policy();
    Optional<DenialExample> http = DenialExample.overHttp(policy);
    String token =
        settings.token().isEmpty() ? "" : " -H \"Authorization: Bearer $PENSTOCK_TOKEN\"";
    String url = "http://localhost:" + server.port();
    if (http.isPresent() && server.proxyPort().isPresent()) {
      int port = server.proxyPort().get();
      boolean tls = settings.proxyTls().isPresent();
      String proxy = (tls ? "-k https" : "http") + "://localhost:" + port;
      add(http.get(), " with 429", CurlExample.toProxy(http.get(), proxy), lines);
    } else if (http.isPresent()) {
      add(http.get(), " with 429", CurlExample.toForwardAuth(http.get(), url, token), lines);
    } else {
      DenialExample.described(policy)
          .ifPresent(check -> add(check, "", CurlExample.toCheck(check, url, token), lines));
    }
  }

  private static void add(
      DenialExample example, String status, String command, List<String> lines) {
    lines.add("");
    lines.add(
        "Try it (rule "
            + example.rule()
            + " denies "
            + (example.exact() ? "request " : "one of the first ")
            + example.times()
            + (example.exact() ? "" : " requests")
            + status
            + "):");
    lines.add("  " + command);
  }

  private static String bracketed(String host) {
    return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
  }
}
