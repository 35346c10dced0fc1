package io.penstock.server.database;

import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import org.jspecify.annotations.Nullable;

/** Texts that PostgreSQL can hold: without NUL, and with whole characters only. */
final class PostgresText {
  private static final char REPLACEMENT = '\ufffd';

  private PostgresText() {}

  /** It is an error if a text or a name in {@code tree} can't be stored as it is. */
  static void check(Located<Node> tree, Problems problems) {
    Node node = tree.value();
    if (node instanceof Node.Scalar scalar && !canBeStored(scalar.text())) {
      problems.error(
          tree.at(), tree.path(), "must not have NUL or half a character (a lone surrogate) in it");
    } else if (node instanceof Node.Sequence sequence) {
      for (int i = 0; i < sequence.items().size(); i++) {
        Node item = sequence.items().get(i);
        check(new Located<>(item, item.at(), tree.path() + "[" + i + "]"), problems);
      }
    } else if (node instanceof Node.Mapping mapping) {
      mapping
          .entries()
          .forEach(
              (name, entry) -> {
                String path = tree.path().isEmpty() ? name : tree.path() + "." + name;
                if (!canBeStored(name)) {
                  problems.error(entry.at(), path, "must not have NUL in its name");
                }
                check(new Located<>(entry.value(), entry.value().at(), path), problems);
              });
    }
  }

  static boolean canBeStored(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0 || (Character.isSurrogate(c) && !isPair(text, i))) {
        return false;
      }
      if (Character.isHighSurrogate(c)) {
        i++;
      }
    }
    return true;
  }

  /** What can be stored of {@code text}, no longer than {@code longest}. */
  static @Nullable String storable(@Nullable String text, int longest) {
    if (text == null || (text.length() <= longest && canBeStored(text))) {
      return text;
    }
    StringBuilder kept = new StringBuilder(Math.min(text.length(), longest));
    for (int i = 0; i < text.length() && kept.length() < longest; i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c) && isPair(text, i) && kept.length() + 1 < longest) {
        kept.append(c).append(text.charAt(++i));
      } else {
        kept.append(c == 0 || Character.isSurrogate(c) ? REPLACEMENT : c);
      }
    }
    return kept.toString();
  }

  private static boolean isPair(String text, int i) {
    return Character.isHighSurrogate(text.charAt(i))
        && i + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(i + 1));
  }
}
