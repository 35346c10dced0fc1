package io.penstock.cli.recipes;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A response.
 *
 * @param headers by lower-case name
 */
record Reply(int status, Map<String, List<String>> headers, String body) {
  /** Returns the joined values of a header; empty if it is missing. */
  String header(String name) {
    return String.join(", ", headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()));
  }
}
