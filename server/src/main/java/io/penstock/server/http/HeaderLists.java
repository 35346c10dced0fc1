package io.penstock.server.http;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Headers that are lists of values with weights, such as {@code Accept-Encoding}. */
public final class HeaderLists {
  private HeaderLists() {}

  /** Returns whether a header is a list that contains a value, with a weight other than zero. */
  public static boolean accepts(@Nullable String header, String value) {
    if (header == null) {
      return false;
    }
    for (String item : header.toLowerCase(Locale.ROOT).split(",", -1)) {
      String[] parts = item.strip().split(";", 2);
      String name = parts[0].strip();
      boolean excluded = parts.length > 1 && parts[1].strip().matches("q=0(\\.0*)?");
      if (!excluded && (name.equals(value) || name.equals("w/" + value))) {
        return true;
      }
    }
    return false;
  }
}
