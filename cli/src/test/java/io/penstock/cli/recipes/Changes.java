package io.penstock.cli.recipes;

import java.util.ArrayList;
import java.util.List;

/**
 * Replacements that a test makes in the text of a page: ports, names, files. Each must occur in the
 * text.
 */
final class Changes {
  private record Change(String original, String replacement) {}

  private final List<Change> changes = new ArrayList<>();

  Changes with(String original, String used) {
    changes.add(new Change(original, used));
    return this;
  }

  Changes with(String original, int port) {
    int colon = original.lastIndexOf(':');
    return with(original, original.substring(0, colon + 1) + port);
  }

  String in(String text) {
    // Replaces in two steps, through marks, so that inserted text is not replaced again.
    String marked = text;
    for (int i = 0; i < changes.size(); i++) {
      String original = changes.get(i).original();
      if (!marked.contains(original)) {
        throw new IllegalStateException("not found: " + original + " in:\n" + text);
      }
      marked = marked.replace(original, mark(i));
    }
    for (int i = 0; i < changes.size(); i++) {
      marked = marked.replace(mark(i), changes.get(i).replacement());
    }
    return marked;
  }

  private static String mark(int i) {
    return "\u0000" + i + "\u0000";
  }
}
