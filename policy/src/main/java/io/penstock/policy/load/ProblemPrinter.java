package io.penstock.policy.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Prints problems of policies, each with its source line and a caret:
 *
 * <pre>
 * policy.yaml:3:17: rules[0].limit_keys[0]: is not a built-in attribute: ip; did you mean …
 *   3 |     limit_keys: [ip]
 *     |                  ^
 * </pre>
 *
 * <p>Lines that may contain a secret are not printed. The line of a syntax error may be any part of
 * an unquoted secret, so it is printed only if the whole source has no secrets. Not thread-safe.
 */
public final class ProblemPrinter {
  private static final int MAX_WIDTH = 160;
  private static final long MAX_BYTES = 1 << 20;
  private static final Pattern SECRET = Pattern.compile("secret|public_key|jwks_url|password");
  private static final String RED = "\033[31m";
  private static final String YELLOW = "\033[33m";
  private static final String DIM = "\033[2m";
  private static final String RESET = "\033[0m";

  private final Consumer<String> out;
  private final boolean isColored;
  private final Map<String, List<String>> sources = new HashMap<>();

  /**
   * @param out receives each line
   * @param isColored whether lines contain the escape sequences of terminals for colors
   */
  public ProblemPrinter(Consumer<String> out, boolean isColored) {
    this.out = out;
    this.isColored = isColored;
  }

  /** Sets the text of a source that is not a file. */
  public ProblemPrinter source(String name, String text) {
    sources.put(name, text.lines().toList());
    return this;
  }

  /** Prints problems in their order. */
  public void print(List<Problem> problems) {
    for (Problem problem : problems) {
      String color = problem.severity() == Problem.Severity.ERROR ? RED : YELLOW;
      out.accept(colored(color, problem.toString()));
      Location at = problem.location();
      List<String> lines = sources.computeIfAbsent(at.file(), ProblemPrinter::lines);
      boolean isSyntaxError = problem.path().isEmpty();
      if (at.line() > 0
          && at.line() <= lines.size()
          && !(isSyntaxError && lines.stream().anyMatch(ProblemPrinter::hasSecret))) {
        excerpt(lines.get(at.line() - 1), at, color);
      }
    }
  }

  private void excerpt(String line, Location at, String color) {
    if (line.length() > MAX_WIDTH || at.column() > line.length() + 1 || hasSecret(line)) {
      return;
    }
    String number = String.valueOf(at.line());
    String visible = line.replaceAll("\\p{Cntrl}", " ");
    out.accept(colored(DIM, "  " + number + " | ") + visible);
    out.accept(
        colored(DIM, "  " + " ".repeat(number.length()) + " | ")
            + " ".repeat(at.column() - 1)
            + colored(color, "^"));
  }

  private static boolean hasSecret(String line) {
    return SECRET.matcher(line).find();
  }

  private String colored(String color, String text) {
    return isColored ? color + text + RESET : text;
  }

  /** Returns the lines of a file; none if it can't be read or is too large for an excerpt. */
  private static List<String> lines(String file) {
    try {
      Path path = Path.of(file);
      return Files.isRegularFile(path) && Files.size(path) <= MAX_BYTES
          ? new String(Files.readAllBytes(path), StandardCharsets.UTF_8).lines().toList()
          : List.of();
    } catch (IOException | InvalidPathException e) {
      return List.of();
    }
  }
}
