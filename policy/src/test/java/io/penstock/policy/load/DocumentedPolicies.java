package io.penstock.policy.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The policies in a page of the documentation. A comment before a policy states its kind: {@code
 * rejected} or {@code warned}, with the output in the next block, or {@code example} and a name.
 */
final class DocumentedPolicies {
  private static final Pattern BLOCK =
      Pattern.compile(
          "(?:<!-- (?<marker>[a-z -]+) -->\n)?```(?<form>yaml|json)\n(?<text>.*?)```\n"
              + "(?:\n```text\n(?<printed>.*?)```\n)?",
          Pattern.DOTALL);

  /**
   * A policy in a page.
   *
   * @param marker its kind; empty for a policy that loads
   * @param name the file name in the page
   * @param printed the output according to the page
   */
  record Shown(String marker, String name, String text, String printed) {}

  private DocumentedPolicies() {}

  static String page(String page) {
    try {
      return Files.readString(Path.of("..", "docs", page));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns all policies of a page in order. */
  static List<Shown> of(String page) {
    List<Shown> all = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(page(page));
    while (matcher.find()) {
      String marker = matcher.group("marker");
      String printed = matcher.group("printed");
      all.add(
          new Shown(
              marker == null ? "" : marker,
              "policy." + matcher.group("form"),
              matcher.group("text"),
              printed == null ? "" : printed));
    }
    return all;
  }

  /** Returns the example with this name in a page. */
  static LoadedPolicy example(String page, String name) {
    Shown shown =
        of(page).stream()
            .filter(policy -> policy.marker().equals("example " + name))
            .findFirst()
            .orElseThrow();
    return PolicyLoader.parse(shown.text(), shown.name());
  }
}
