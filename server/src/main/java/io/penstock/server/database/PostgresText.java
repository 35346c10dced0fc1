package io.penstock.server.database;

import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import org.jspecify.annotations.Nullable;

/** Checks and cleans text for PostgreSQL, which stores neither NUL nor lone surrogates. */
final class PostgresText {
  private static final char REPLACEMENT = '\ufffd';

  private PostgresText() {}

  /** Adds an error for each text or name in {@code tree} that can't be stored unchanged. */
  static void check(Located<Node> tree, Problems problems) {
    Node node = tree.value();
    if (node instanceof Node.Scalar scalar && !canBeStored(scalar.text())) {
      problems.error(tree.at(), tree.path(), "must not contain NUL or a lone surrogate");
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
                  problems.error(entry.at(), path, "name must not contain NUL or a lone surrogate");
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

  /** Returns {@code text} with invalid characters replaced, truncated to {@code maxLength}. */
  static @Nullable String storable(@Nullable String text, int maxLength) {
    if (text == null || (text.length() <= maxLength && canBeStored(text))) {
      return text;
    }
    StringBuilder cleaned = new StringBuilder(Math.min(text.length(), maxLength));
    for (int i = 0; i < text.length() && cleaned.length() < maxLength; i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c) && isPair(text, i) && cleaned.length() + 1 < maxLength) {
        cleaned.append(c).append(text.charAt(++i));
      } else {
        cleaned.append(c == 0 || Character.isSurrogate(c) ? REPLACEMENT : c);
      }
    }
    return cleaned.toString();
  }

  private static boolean isPair(String text, int i) {
    return Character.isHighSurrogate(text.charAt(i))
        && i + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(i + 1));
  }
}
