package io.penstock.policy.path;

/**
 * How paths are normalized before rules match them. The settings mirror how the origin treats
 * paths, so that no spelling of a path that the origin serves bypasses its rule. Immutable.
 *
 * @param encodedSlashes how {@code %2F}, {@code %5C} and backslashes are treated
 * @param stripsParameters whether {@code ;} and the text after it in a segment are ignored
 * @param ignoresCase whether the origin ignores case
 * @param stripsTrailingDots whether the origin ignores dots and spaces at the end of a segment
 * @param stripsTrailingSlash whether the origin ignores a slash at the end
 */
public record PathSettings(
    EncodedSlashes encodedSlashes,
    boolean stripsParameters,
    boolean ignoresCase,
    boolean stripsTrailingDots,
    boolean stripsTrailingSlash) {

  /** How escaped slashes and backslashes, and plain backslashes, are treated. */
  public enum EncodedSlashes {
    /** The request is rejected. */
    REJECT,
    /** They are slashes, for rules and for the origin. */
    DECODE,
    /** They are ordinary characters of a segment, for rules and for the origin. */
    KEEP
  }

  /** Safe in front of origins that are case-sensitive. */
  public static final PathSettings DEFAULT =
      new PathSettings(EncodedSlashes.REJECT, true, false, false, false);

  /** Returns these settings with another treatment of encoded slashes. */
  public PathSettings with(EncodedSlashes other) {
    return other == encodedSlashes
        ? this
        : new PathSettings(
            other, stripsParameters, ignoresCase, stripsTrailingDots, stripsTrailingSlash);
  }
}
