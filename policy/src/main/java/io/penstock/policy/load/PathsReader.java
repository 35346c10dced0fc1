package io.penstock.policy.load;

import io.penstock.policy.path.PathSettings;
import io.penstock.policy.path.PathSettings.EncodedSlashes;
import java.util.Map;

/** Reads how paths are made normal. */
final class PathsReader {
  private static final Map<String, EncodedSlashes> ENCODED_SLASHES =
      EnumFields.of(EncodedSlashes.values());
  private static final Boolean[] EITHER = {false, true};
  private static final Map<String, Boolean> STRIPS =
      EnumFields.of(EITHER, strips -> strips ? "strip" : "keep");
  private static final Map<String, Boolean> IGNORES_CASE =
      EnumFields.of(EITHER, ignores -> ignores ? "insensitive" : "sensitive");

  private PathsReader() {}

  /** The settings; the usual ones if there are errors in them. */
  static PathSettings read(Located<Node> node, Problems problems) {
    Fields fields = Fields.of(node, problems);
    if (fields == null) {
      return PathSettings.DEFAULT;
    }
    PathSettings usual = PathSettings.DEFAULT;
    PathSettings settings =
        new PathSettings(
            fields.choice("encoded_slashes", ENCODED_SLASHES, usual.encodedSlashes()),
            fields.choice("parameters", STRIPS, usual.stripsParameters()),
            fields.choice("case", IGNORES_CASE, usual.ignoresCase()),
            fields.choice("trailing_dots", STRIPS, usual.stripsTrailingDots()),
            fields.choice("trailing_slash", STRIPS, usual.stripsTrailingSlash()));
    fields.done();
    return settings;
  }
}
