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
 * Puts settings together: flags count before variables, these before the file, and that before what
 * is usual. All mistakes are found at once.
 */
public final class SettingsReader {
  private final Problems problems = new Problems();
  private final Map<Setting, SettingValue> values = new EnumMap<>(Setting.class);

  private SettingsReader() {}

  /**
   * Reads all that was said.
   *
   * @param flags what was said by flags
   * @param variables all variables of the process; only those of Penstock are looked at
   * @param file a file of settings; null for none
   * @throws SettingsException if anything is wrong
   */
  public static Settings read(
      Map<Setting, String> flags, Map<String, String> variables, @Nullable Path file) {
    SettingsReader reader = new SettingsReader();
    reader.usual();
    if (file != null) {
      reader.readFile(file);
    }
    reader.readVariables(variables);
    flags.forEach((setting, value) -> reader.say(setting, value, Location.of(setting.flag())));
    reader.checkTogether();
    if (reader.problems.errorCount() > 0) {
      throw new SettingsException(reader.problems.errors());
    }
    return new Settings(reader.values, reader.problems.warnings());
  }

  private void usual() {
    for (Setting setting : Setting.values()) {
      String otherwise = setting.otherwise();
      if (otherwise != null) {
        values.put(setting, new SettingValue(otherwise, Settings.DEFAULT));
      }
    }
  }

  private void readFile(Path file) {
    if (saysNothing(file)) {
      return;
    }
    Node root = Document.read(file, problems);
    Fields fields = root == null ? null : Fields.of(new Located<>(root, root.at(), ""), problems);
    if (fields == null) {
      return;
    }
    for (Setting setting : Setting.values()) {
      Located<Node> placed = fields.placed(setting.key());
      String value = fields.text(setting.key());
      if (placed != null && value != null) {
        say(setting, setting == Setting.POLICY ? beside(file, value) : value, placed.at());
      }
    }
    fields.done();
  }

  /** To settings, unlike policies, a file of which all is commented out is no mistake. */
  private static boolean saysNothing(Path file) {
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines.allMatch(line -> line.isBlank() || line.stripLeading().startsWith("#"));
    } catch (IOException | UncheckedIOException unreadable) {
      return false;
    }
  }

  /** As in policies, what a file names is relative to it. */
  private static String beside(Path file, String named) {
    try {
      return named.isBlank() ? named : file.resolveSibling(named).toString();
    } catch (InvalidPathException e) {
      return named;
    }
  }

  private void readVariables(Map<String, String> variables) {
    for (Setting setting : Setting.values()) {
      String value = variables.get(setting.variable());
      if (value != null && !MisspelledVariables.isOfKubernetes(setting.variable(), value)) {
        say(setting, value, Location.of(setting.variable()));
      }
    }
    MisspelledVariables.among(variables)
        .forEach(
            (name, meant) ->
                problems.warning(
                    Location.of(name), "", "is no known variable; did you mean " + meant + "?"));
  }

  private void say(Setting setting, String value, Location at) {
    String wrong = SettingCheck.of(setting, value);
    if (wrong != null) {
      String path = at.line() == 0 ? "" : setting.key();
      problems.error(at, path, wrong);
    } else {
      values.put(setting, new SettingValue(value, at.toString()));
    }
  }

  private void checkTogether() {
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
          "the admin door needs an admin_token or admin_tokens unless it is bound to loopback: "
              + settings.adminHost());
    }
    TlsCheck.together(settings, problems);
  }

  /** The settings can't be used. Says everything that is wrong with them, a line each. */
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
