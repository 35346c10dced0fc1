package io.penstock.server;

import io.penstock.policy.load.Location;
import io.penstock.policy.load.Problems;
import io.penstock.server.EnvoyVariables.SettingTarget;
import java.util.Map;

/** Reads the variables of envoyproxy/ratelimit for its debug port and its metrics. */
final class EnvoyListenerVariables {
  private static final String METRICS_ADDRESS = "PROMETHEUS_ADDR";
  private static final String ADMIN_PORT_BESIDE = "9091";

  private EnvoyListenerVariables() {}

  /** Sets the settings that the variables stand for. */
  static void read(Map<String, String> variables, Problems problems, SettingTarget target) {
    set(variables, "DEBUG_HOST", "0.0.0.0", Setting.ENVOY_DEBUG_HOST, target);
    set(variables, "DEBUG_PORT", "6070", Setting.ENVOY_DEBUG_PORT, target);
    if (!variables.getOrDefault("USE_PROMETHEUS", "false").matches("(?i)true|t|1")) {
      return;
    }
    set(variables, "PROMETHEUS_PATH", "/metrics", Setting.ENVOY_METRICS_PATH, target);
    String address = orDefault(variables, METRICS_ADDRESS, ":9090");
    Location at = Location.of(METRICS_ADDRESS);
    int colon = address.lastIndexOf(':');
    if (colon < 0) {
      problems.error(at, "", "must be a port such as :19001, or an address and a port: " + address);
      return;
    }
    String port = address.substring(colon + 1);
    String host = address.substring(0, colon).replaceAll("[\\[\\]]", "");
    target.set(Setting.ENVOY_METRICS_PORT, port, at);
    target.set(Setting.ENVOY_METRICS_HOST, host.isEmpty() ? "0.0.0.0" : host, at);
    if (port.equals(Setting.ADMIN_PORT.otherwise())) {
      // The reference has no admin listener, so its configuration leaves no port for ours.
      target.set(Setting.ADMIN_PORT, ADMIN_PORT_BESIDE, at);
      problems.warning(
          at, "", "uses the port of the admin listener, which is therefore " + ADMIN_PORT_BESIDE);
    }
  }

  private static void set(
      Map<String, String> variables,
      String name,
      String otherwise,
      Setting setting,
      SettingTarget target) {
    target.set(setting, orDefault(variables, name, otherwise), Location.of(name));
  }

  private static String orDefault(Map<String, String> variables, String name, String otherwise) {
    String value = variables.getOrDefault(name, "");
    return value.isEmpty() ? otherwise : value;
  }
}
