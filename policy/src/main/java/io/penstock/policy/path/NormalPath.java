package io.penstock.policy.path;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Normalizes paths, so that clients can't bypass a rule with a different spelling: {@code
 * //a/./b/../%63} becomes {@code /a/c}.
 *
 * <p>There are two forms. The <em>forwarded</em> form is what the proxy sends: unnecessary escapes
 * are decoded, the remaining ones are in upper case, {@code .} and {@code ..} segments are
 * resolved, and repeated slashes are merged. The <em>matched</em> form is what rules see: the
 * forwarded form without the parts that the origin ignores, and with one canonical spelling for
 * each character. A path and its forwarded form have the same matched form.
 *
 * <p>{@code ..;x} is resolved as {@code ..} if parameters are stripped, and otherwise rejected,
 * because origins differ in how they treat it. A control character, escaped or not, is always
 * rejected: some origins drop it, others end the path there.
 */
public final class NormalPath {
  private static final List<String> SCHEMES = List.of("http://", "https://");

  private final PathSettings settings;
  private final boolean matching;

  private NormalPath(PathSettings settings, boolean matching) {
    this.settings = settings;
    this.matching = matching;
  }

  /**
   * Returns the target of a request in forwarded form, with its query unchanged. A fragment is
   * removed, because some origins treat it as a part of the last parameter.
   *
   * @return the same object if it is already normalized; null if the request has to be rejected
   */
  public static @Nullable String forwarded(String target, PathSettings settings) {
    int end = target.indexOf('?');
    int length = end < 0 ? target.length() : end;
    int fragment = end < 0 ? -1 : target.indexOf('#', end);
    if (fragment < 0 && isNormal(target, length, settings)) {
      return target;
    }
    String path = new NormalPath(settings, false).of(target, length);
    return path == null || end < 0
        ? path
        : path + target.substring(end, fragment < 0 ? target.length() : fragment);
  }

  /**
   * Returns a path in matched form. The path must not have a query. If it is a URL, as some callers
   * send it, the result is the path of the URL.
   *
   * @return the same object if it is already normalized; null if the request has to be rejected
   */
  public static @Nullable String matched(String path, PathSettings settings) {
    if (isMatched(path, settings) || path.equals("*")) {
      return path;
    }
    String pathOnly = withoutOrigin(path);
    String normal = new NormalPath(settings, true).of(pathOnly, pathOnly.length());
    if (normal == null) {
      return null;
    }
    String whole =
        settings.stripsTrailingSlash() && normal.length() > 1 && normal.endsWith("/")
            ? normal.substring(0, normal.length() - 1)
            : normal;
    return settings.ignoresCase() ? PathCase.folded(whole) : whole;
  }

  /** Returns the path of a URL such as {@code http://host/path}. */
  private static String withoutOrigin(String path) {
    for (String scheme : SCHEMES) {
      if (path.regionMatches(true, 0, scheme, 0, scheme.length())) {
        int at = scheme.length();
        while (at < path.length() && "/\\#".indexOf(path.charAt(at)) < 0) {
          at++;
        }
        return path.substring(at);
      }
    }
    return path;
  }

  private static boolean isNormal(String target, int length, PathSettings settings) {
    if (length == 0 || target.charAt(0) != '/') {
      return false;
    }
    boolean afterSlash = false;
    for (int i = 0; i < length; i++) {
      char c = target.charAt(i);
      if (c == '%' || c == '#' || c == '\\' || PathText.isControl(c)) {
        return false;
      }
      if (afterSlash && (c == '/' || c == '.' || c == ';')) {
        return false;
      }
      if ((c == '.' || c == ' ') && settings.stripsTrailingDots()) {
        return false;
      }
      afterSlash = c == '/';
    }
    return true;
  }

  private static boolean isMatched(String path, PathSettings settings) {
    int length = path.length();
    if (length == 0 || path.charAt(0) != '/') {
      return false;
    }
    boolean afterSlash = false;
    for (int i = 0; i < length; i++) {
      char c = path.charAt(i);
      boolean slash = c == '/';
      if (!slash && !PathText.isPlain(c)) {
        return false;
      }
      if (afterSlash && (slash || c == '.')) {
        return false;
      }
      if ((c == '.' && settings.stripsTrailingDots())
          || (c >= 'A' && c <= 'Z' && settings.ignoresCase())) {
        return false;
      }
      afterSlash = slash;
    }
    return !(afterSlash && settings.stripsTrailingSlash() && length > 1);
  }

  private @Nullable String of(String target, int length) {
    String path = new PathText(settings, matching).unescaped(target, length);
    return path == null ? null : resolved(path);
  }

  /** Resolves the segments; null if one of them has to be rejected. */
  private @Nullable String resolved(String path) {
    StringBuilder normal = new StringBuilder(path.length() + 1);
    int length = path.length();
    int from = 0;
    while (from <= length) {
      int slash = path.indexOf('/', from);
      int to = slash < 0 ? length : slash;
      boolean last = to == length;
      String segment = path.substring(from, to);
      int semicolon = segment.indexOf(';');
      String name = semicolon < 0 ? segment : segment.substring(0, semicolon);
      boolean dots = name.equals(".") || name.equals("..");
      if (semicolon >= 0 && !settings.stripsParameters()) {
        if (dots) {
          return null;
        }
        name = segment;
      }
      if (dots || name.isEmpty()) {
        if (name.equals("..")) {
          normal.setLength(Math.max(0, normal.lastIndexOf("/")));
        }
        if (last) {
          // A path that ends in an empty or dot segment ends in a slash.
          normal.append('/').append(matching || dots ? "" : segment);
        }
      } else if (!append(name, segment, normal)) {
        return null;
      }
      from = to + 1;
    }
    return normal.length() == 0 ? "/" : normal.toString();
  }

  private boolean append(String name, String segment, StringBuilder normal) {
    String stripped = name;
    if (settings.stripsTrailingDots()) {
      stripped = PathText.withoutTrailingDots(name);
      if (stripped.isEmpty()) {
        return false;
      }
    }
    normal.append('/').append(matching ? stripped : segment);
    return true;
  }
}
