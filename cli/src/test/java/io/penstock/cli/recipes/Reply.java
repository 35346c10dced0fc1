package io.penstock.cli.recipes;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A response.
 *
 * @param headers their names in lower case
 */
record Reply(int status, Map<String, List<String>> headers, String body) {
  /** The values of a header, joined; empty if there is none. */
  String header(String name) {
    return String.join(", ", headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
  }
}
