package io.penstock.server;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problem;
import io.penstock.policy.load.Problems;
import io.penstock.server.Settings.SettingValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Merges settings: flags override variables, variables override the file, and the file overrides
 * the defaults. Collects all errors before it fails.
 */
public final class SettingsReader {
  /** Envoy waits 20 ms for a decision by default. */
  private static final String DEADLINE_WITH_ENVOY_MS = "10";

  private final Problems problems = new Problems();
  private final Map<Setting, SettingValue> values = new EnumMap<>(Setting.class);

  private SettingsReader() {}

  /**
   * Reads and validates all settings.
   *
   * @param flags the values of flags
   * @param variables all environment variables of the process; those without Penstock's prefix are
   *     ignored
   * @param file a settings file; null for none
   * @throws SettingsException if any setting is invalid
   */
  public static Settings read(
      Map<Setting, String> flags, Map<String, String> variables, @Nullable Path file) {
    SettingsReader reader = new SettingsReader();
    reader.addDefaults();
    if (file != null) {
      reader.readFile(file);
    }
    if (reader.readsEnvoyVariables(flags, variables)) {
      EnvoyVariables.read(variables, reader.problems, reader::set);
      EnvoyListenerVariables.read(variables, reader.problems, reader::set);
    }
    reader.readVariables(variables);
    flags.forEach((setting, value) -> reader.set(setting, value, Location.of(setting.flag())));
    reader.adaptDefaults();
    reader.checkCombinations();
    if (reader.problems.errorCount() > 0) {
      throw new SettingsException(reader.problems.errors());
    }
    return new Settings(reader.values, reader.problems.warnings());
  }

  private boolean readsEnvoyVariables(Map<Setting, String> flags, Map<String, String> variables) {
    Setting setting = Setting.ENVOY_VARIABLES;
    SettingValue soFar = values.get(setting);
    String fromFile = soFar == null ? "" : soFar.value();
    return flags
        .getOrDefault(setting, variables.getOrDefault(setting.variable(), fromFile))
        .equals("true");
  }

  private void addDefaults() {
    for (Setting setting : Setting.values()) {
      String defaultValue = setting.otherwise();
      if (defaultValue != null) {
        values.put(setting, new SettingValue(defaultValue, Settings.DEFAULT));
      }
    }
  }

  /** Replaces defaults that depend on other settings. */
  private void adaptDefaults() {
    SettingValue deadline = values.get(Setting.REDIS_DEADLINE_MS);
    if (values.containsKey(Setting.ENVOY)
        && deadline != null
        && deadline.origin().equals(Settings.DEFAULT)) {
      values.put(
          Setting.REDIS_DEADLINE_MS, new SettingValue(DEADLINE_WITH_ENVOY_MS, Settings.DEFAULT));
    }
  }

  private void readFile(Path file) {
    if (hasOnlyComments(file)) {
      return;
    }
    Node root = Document.read(file, problems);
    Fields fields = root == null ? null : Fields.of(new Located<>(root, root.at(), ""), problems);
    if (fields == null) {
      return;
    }
    for (Setting setting : Setting.values()) {
      Located<Node> located = fields.located(setting.key());
      String value = fields.text(setting.key());
      if (located != null && value != null) {
        boolean isPath =
            setting == Setting.POLICY
                || (setting == Setting.ENVOY && !EnvoySettings.isServer(value));
        set(setting, isPath ? resolve(file, value) : value, located.at());
      }
    }
    fields.done();
  }

  /** A settings file may consist of comments only, unlike a policy. */
  private static boolean hasOnlyComments(Path file) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines.allMatch(line -> line.isBlank() || line.stripLeading().startsWith("#"));
    } catch (IOException | UncheckedIOException unreadable) {
      return false;
    }
  }

  /** Resolves a path relative to the file that contains it, as in policies. */
  private static String resolve(Path file, String path) {
    try {
      return path.isBlank() ? path : file.resolveSibling(path).toString();
    } catch (InvalidPathException e) {
      return path;
    }
  }

  private void readVariables(Map<String, String> variables) {
    for (Setting setting : Setting.values()) {
      String value = variables.get(setting.variable());
      if (value != null && !MisspelledVariables.isSetByKubernetes(setting.variable(), value)) {
        set(setting, value, Location.of(setting.variable()));
      }
    }
    MisspelledVariables.find(variables)
        .forEach(
            (name, meant) ->
                problems.warning(
                    Location.of(name), "", "unknown variable; did you mean " + meant + "?"));
  }

  private void set(Setting setting, String value, Location at) {
    String error = SettingCheck.of(setting, value);
    if (error != null) {
      String path = at.line() == 0 ? "" : setting.key();
      problems.error(at, path, error);
    } else {
      values.put(setting, new SettingValue(value, at.toString()));
    }
  }

  private void checkCombinations() {
    if (problems.errorCount() > 0) {
      return;
    }
    Settings settings = new Settings(values, List.of());
    if (!SettingCheck.isLoopback(settings.adminHost())
        && settings.adminToken().isEmpty()
        && settings.adminTokens().isEmpty()) {
      problems.error(
          Location.of(String.valueOf(settings.origin(Setting.ADMIN_HOST))),
          "",
          "the admin listener requires admin_token or admin_tokens unless bound to loopback: "
              + settings.adminHost());
    }
    checkUpstream(settings);
    checkEnvoy(settings);
    checkDependencies(settings);
    TlsCheck.checkCombinations(settings, problems);
  }

  /** Rejects an upstream that is the proxy itself, which would forward each request to itself. */
  private void checkUpstream(Settings settings) {
    if (settings.upstream().isPresent()
        && settings.proxyPort() != 0
        && settings.upstream().get().isAt(settings.proxyHost(), settings.proxyPort())) {
      problems.error(
          Location.of(String.valueOf(settings.origin(Setting.UPSTREAM))),
          "",
          "upstream must not be the address of the proxy listener: "
              + settings.proxyHost()
              + ":"
              + settings.proxyPort());
    }
  }

  private void checkEnvoy(Settings settings) {
    settings
        .envoy()
        .filter(envoy -> envoy.overdraft() && envoy.fixedWindows())
        .ifPresent(
            envoy ->
                problems.error(
                    Location.of(String.valueOf(settings.origin(Setting.ENVOY_OVERDRAFT))),
                    "",
                    "envoy_overdraft needs envoy_algorithm: token_bucket; windows have no debt"));
  }

  /** Reports settings that have no effect because another one is missing or off. */
  private void checkDependencies(Settings settings) {
    for (Setting setting : Setting.values()) {
      Setting missing = settings.isGiven(setting) ? settings.unmetNeed(setting) : null;
      if (missing == null) {
        continue;
      }
      Location at = Location.of(String.valueOf(settings.origin(setting)));
      if (setting.isProtective()) {
        problems.error(at, "", setting.key() + " needs " + missing.key());
      } else {
        problems.warning(at, "", setting.key() + " has no effect without " + missing.key());
      }
    }
  }

  /** Thrown if settings are invalid. The message lists all errors, one per line. */
  public static final class SettingsException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<Problem> problems;

    SettingsException(List<Problem> problems) {
      super(String.join("\n", problems.stream().map(Problem::toString).toList()));
      this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
      return problems;
    }
  }
}
