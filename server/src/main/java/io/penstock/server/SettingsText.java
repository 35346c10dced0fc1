package io.penstock.server;

import io.penstock.server.Settings.SettingValue;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Prints settings as a settings file with one line per setting and its origin. Lines with secrets
 * are masked and commented out, so that a mask is never read as a value.
 */
final class SettingsText {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9/._][A-Za-z0-9/._-]*");

  private static final String PASSWORD_PARAMETER = "password=";

  private SettingsText() {}

  static String of(Map<Setting, SettingValue> values, Predicate<Setting> hasEffect) {
    StringBuilder lines = new StringBuilder();
    for (Setting setting : Setting.values()) {
      String line = line(setting, values.get(setting));
      // A setting without effect is reported if it is set explicitly.
      lines.append(hasEffect.test(setting) || line.startsWith("#") ? "" : "# ").append(line);
      lines.append('\n');
    }
    return lines.toString();
  }

  private static String line(Setting setting, @Nullable SettingValue current) {
    if (current == null) {
      return "# " + setting.key() + ":  # not set";
    }
    String origin = "  # " + current.origin().replaceAll("\\p{Cntrl}", " ");
    String value = current.value();
    if (setting.isSecret()) {
      return "# " + setting.key() + ": " + Settings.MASK + origin + ", masked";
    }
    boolean isUrl = setting == Setting.REDIS || setting == Setting.POSTGRES;
    if (isUrl && (RedisUrl.hasPassword(value) || value.contains(PASSWORD_PARAMETER))) {
      String masked =
          RedisUrl.masked(value)
              .replaceAll(PASSWORD_PARAMETER + "[^&]*", PASSWORD_PARAMETER + Settings.MASK);
      return "# " + setting.key() + ": " + quoted(masked) + origin + ", masked";
    }
    String shown = setting == Setting.POLICY ? Path.of(value).toAbsolutePath().toString() : value;
    return setting.key() + ": " + quoted(shown) + origin;
  }

  private static String quoted(String value) {
    if (PLAIN.matcher(value).matches()) {
      return value;
    }
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (Character.isISOControl(c)) {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
