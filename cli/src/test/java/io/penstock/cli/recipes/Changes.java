package io.penstock.cli.recipes;

import java.util.ArrayList;
import java.util.List;

/** What a test has to write differently from a page: ports, names, files. Each must be there. */
final class Changes {
  private record Change(String shown, String used) {}

  private final List<Change> changes = new ArrayList<>();

  Changes with(String shown, String used) {
    changes.add(new Change(shown, used));
    return this;
  }

  Changes with(String shown, int port) {
    int colon = shown.lastIndexOf(':');
    return with(shown, shown.substring(0, colon + 1) + port);
  }

  String in(String text) {
    // By way of marks: what was put in is not changed again.
    String marked = text;
    for (int i = 0; i < changes.size(); i++) {
      String shown = changes.get(i).shown();
      if (!marked.contains(shown)) {
        throw new IllegalStateException("no " + shown + " in:\n" + text);
      }
      marked = marked.replace(shown, mark(i));
    }
    for (int i = 0; i < changes.size(); i++) {
      marked = marked.replace(mark(i), changes.get(i).used());
    }
    return marked;
  }

  private static String mark(int i) {
    return "\u0000" + i + "\u0000";
  }
}
