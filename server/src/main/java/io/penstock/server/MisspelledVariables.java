package io.penstock.server;

import io.penstock.policy.load.Suggestions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Finds variables that look like a setting with a slip in it. Others that begin like ours are left
 * alone: people have variables of their own, and Kubernetes tells every container where services
 * are, which for one called penstock, or penstock-admin, begin with PENSTOCK_ too.
 */
final class MisspelledVariables {
  private static final String OURS = "PENSTOCK_";
  private static final Set<String> NO_SETTINGS = Set.of("PENSTOCK_CONFIG", "PENSTOCK_JAVA_OPTS");
  private static final String FOR_TESTS = "PENSTOCK_TEST_";

  private static final Pattern OF_KUBERNETES =
      Pattern.compile("(.*_)?(SERVICE_(HOST|PORT)(_.*)?|PORT_\\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)");

  private static final Pattern ADDRESS_OF_SERVICE = Pattern.compile("(tcp|udp|sctp)://.*");

  private MisspelledVariables() {}

  /** Whether a value was written by Kubernetes rather than by somebody who sets a port. */
  static boolean isOfKubernetes(String name, String value) {
    return name.endsWith("PORT") && ADDRESS_OF_SERVICE.matcher(value).matches();
  }

  /** The names that nobody reads, each with the one that was probably meant. */
  static Map<String, String> among(Map<String, String> variables) {
    List<String> settings = Arrays.stream(Setting.values()).map(Setting::name).toList();
    Map<String, String> strays = new TreeMap<>();
    variables.forEach(
        (name, value) -> {
          String own = name.startsWith(OURS) ? name.substring(OURS.length()) : "";
          if (own.isEmpty()
              || settings.contains(own)
              || NO_SETTINGS.contains(name)
              || name.startsWith(FOR_TESTS)
              || OF_KUBERNETES.matcher(own).matches()
              || isOfKubernetes(name, value)) {
            return;
          }
          String nearest = Suggestions.to(own, settings);
          if (nearest != null) {
            strays.put(name, OURS + nearest);
          }
        });
    return strays;
  }
}
