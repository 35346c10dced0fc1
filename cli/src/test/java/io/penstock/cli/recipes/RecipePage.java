package io.penstock.cli.recipes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** A page of {@code docs/recipes} and its code blocks. */
record RecipePage(String name, String text) {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");

  static RecipePage of(String name) {
    try {
      return new RecipePage(name, Files.readString(Path.of("..", "docs", "recipes", name)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the blocks in a language, in order. */
  List<String> blocks(String language) {
    return BLOCK
        .matcher(text)
        .results()
        .filter(block -> block.group(1).equals(language))
        .map(block -> block.group(2))
        .toList();
  }

  /** Returns the only block in a language, with replacements. */
  String block(String language, Changes changes) {
    List<String> blocks = blocks(language);
    if (blocks.size() != 1) {
      throw new IllegalStateException(name + " has " + blocks.size() + " blocks of " + language);
    }
    return changes.in(blocks.get(0));
  }
}
