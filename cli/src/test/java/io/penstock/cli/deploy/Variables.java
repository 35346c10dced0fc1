package io.penstock.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.Setting;
import io.penstock.server.Settings;
import io.penstock.server.SettingsReader;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the environment variables of a deployment as Penstock does. */
final class Variables {
  private static final String PREFIX = "PENSTOCK_";
  private static final Set<String> KNOWN =
      Stream.concat(
              Stream.of(Setting.values()).map(Setting::variable),
              Stream.of("PENSTOCK_CONFIG", "PENSTOCK_JAVA_OPTS"))
          .collect(Collectors.toSet());

  private Variables() {}

  /** Returns the settings. Fails if a variable with our prefix is unknown. */
  static Settings settings(Map<String, String> variables) {
    assertThat(variables.keySet().stream().filter(name -> name.startsWith(PREFIX)))
        .isSubsetOf(KNOWN);
    Settings settings = SettingsReader.read(Map.of(), variables, null);
    assertThat(settings.warnings()).isEmpty();
    return settings;
  }
}
