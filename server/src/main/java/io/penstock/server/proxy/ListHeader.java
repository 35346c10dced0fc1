package io.penstock.server.proxy;

import io.vertx.core.MultiMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Reads headers that are lists of words, in one or several fields. */
final class ListHeader {
  private ListHeader() {}

  /** Returns the words in lower case. */
  static Set<String> words(MultiMap headers, CharSequence name) {
    if (!headers.contains(name)) {
      return Set.of();
    }
    Set<String> words = new HashSet<>();
    for (String list : headers.getAll(name)) {
      for (String word : list.split(",", -1)) {
        words.add(word.strip().toLowerCase(Locale.ROOT));
      }
    }
    return words;
  }

  static boolean has(MultiMap headers, CharSequence name, String word) {
    return words(headers, name).contains(word);
  }
}
