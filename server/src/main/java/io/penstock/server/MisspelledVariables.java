package io.penstock.server;

import io.penstock.policy.load.Suggestions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Finds environment variables that look like a misspelled setting. Other variables with our prefix
 * are ignored: users have their own, and Kubernetes sets variables for every service in each
 * container, which start with PENSTOCK_ for a service named penstock or penstock-admin.
 */
final class MisspelledVariables {
  private static final String PREFIX = "PENSTOCK_";
  private static final Set<String> OTHER_VARIABLES =
      Set.of("PENSTOCK_CONFIG", "PENSTOCK_JAVA_OPTS");
  private static final String TEST_PREFIX = "PENSTOCK_TEST_";

  private static final Pattern KUBERNETES_NAME =
      Pattern.compile("(.*_)?(SERVICE_(HOST|PORT)(_.*)?|PORT_\\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)");

  private static final Pattern SERVICE_URL = Pattern.compile("(tcp|udp|sctp)://.*");

  private MisspelledVariables() {}

  /** Returns whether Kubernetes set a variable such as PENSTOCK_PORT to the URL of a service. */
  static boolean isSetByKubernetes(String name, String value) {
    return name.endsWith("PORT") && SERVICE_URL.matcher(value).matches();
  }

  /** Returns the unknown variables, each with the variable that was probably meant. */
  static Map<String, String> find(Map<String, String> variables) {
    List<String> settings = Arrays.stream(Setting.values()).map(Setting::name).toList();
    Map<String, String> misspelled = new TreeMap<>();
    variables.forEach(
        (name, value) -> {
          String suffix = name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : "";
          if (suffix.isEmpty()
              || settings.contains(suffix)
              || OTHER_VARIABLES.contains(name)
              || name.startsWith(TEST_PREFIX)
              || KUBERNETES_NAME.matcher(suffix).matches()
              || isSetByKubernetes(name, value)) {
            return;
          }
          String nearest = Suggestions.to(suffix, settings);
          if (nearest != null) {
            misspelled.put(name, PREFIX + nearest);
          }
        });
    return misspelled;
  }
}
