package io.penstock.policy.path;

/**
 * How paths are made normal before rules match them: what the origin does to them, so that no
 * spelling of a path that the origin serves escapes its rule. Immutable.
 *
 * @param encodedSlashes what becomes of {@code %2F}, {@code %5C} and backslashes
 * @param stripsParameters whether {@code ;} and what follows it in a segment is no part of the path
 * @param ignoresCase whether the origin does
 * @param stripsTrailingDots whether the origin ignores dots and spaces at the end of a segment
 * @param stripsTrailingSlash whether a slash at the end makes no difference to the origin
 */
public record PathSettings(
    EncodedSlashes encodedSlashes,
    boolean stripsParameters,
    boolean ignoresCase,
    boolean stripsTrailingDots,
    boolean stripsTrailingSlash) {

  /** What becomes of slashes and backslashes that are written as escapes, and of backslashes. */
  public enum EncodedSlashes {
    /** The request is rejected. */
    REJECT,
    /** They are slashes, for rules and for the origin. */
    DECODE,
    /** They are characters of a segment, for rules and for the origin. */
    KEEP
  }

  /** Safe in front of origins that tell upper case from lower case. */
  public static final PathSettings DEFAULT =
      new PathSettings(EncodedSlashes.REJECT, true, false, false, false);

  /** The same, with other settings for encoded slashes. */
  public PathSettings with(EncodedSlashes other) {
    return other == encodedSlashes
        ? this
        : new PathSettings(
            other, stripsParameters, ignoresCase, stripsTrailingDots, stripsTrailingSlash);
  }
}
