package io.penstock.policy.load;

import io.penstock.policy.path.PathSettings;
import io.penstock.policy.path.PathSettings.EncodedSlashes;
import java.util.Map;

/** Reads the {@code paths} section, which states how paths are normalized. */
final class PathsReader {
  private static final Map<String, EncodedSlashes> ENCODED_SLASHES =
      EnumFields.of(EncodedSlashes.values());
  private static final Boolean[] EITHER = {false, true};
  private static final Map<String, Boolean> STRIPS =
      EnumFields.of(EITHER, strips -> strips ? "strip" : "keep");
  private static final Map<String, Boolean> IGNORES_CASE =
      EnumFields.of(EITHER, ignores -> ignores ? "insensitive" : "sensitive");

  private PathsReader() {}

  /** Returns the settings, or the defaults if they have errors. */
  static PathSettings read(Located<Node> node, Problems problems) {
    Fields fields = Fields.of(node, problems);
    if (fields == null) {
      return PathSettings.DEFAULT;
    }
    PathSettings defaults = PathSettings.DEFAULT;
    PathSettings settings =
        new PathSettings(
            fields.choice("encoded_slashes", ENCODED_SLASHES, defaults.encodedSlashes()),
            fields.choice("parameters", STRIPS, defaults.stripsParameters()),
            fields.choice("case", IGNORES_CASE, defaults.ignoresCase()),
            fields.choice("trailing_dots", STRIPS, defaults.stripsTrailingDots()),
            fields.choice("trailing_slash", STRIPS, defaults.stripsTrailingSlash()));
    fields.done();
    return settings;
  }
}
