package io.penstock.cli.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A Markdown page.
 *
 * @param name its path relative to the project root
 */
public record Page(String name, String text) {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Set<String> SKIPPED_FOLDERS = Set.of("target", ".git", ".mvn", ".idea");
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```(\\w*)\\n(.*?)^ *```$");
  private static final Pattern CODE = Pattern.compile("`[^`\\n]+`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");
  private static final Pattern PROMPT_LINE = Pattern.compile("(?m)^\\$ (.+)$");

  /** An indented code block: it starts after an empty line. */
  private static final Pattern INDENTED = Pattern.compile("(?m)(?<=\\n\\n|\\A)((?:^    .*\\n)+)");

  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:\\./|bin/|bench/|samples/)\\S+.*"
              + "|(?:penstock|curl|docker|kubectl|systemctl|java|redis-cli|psql|promtool|export) .*");

  /**
   * A command on a page.
   *
   * @param language the language of its block; empty for an indented block
   */
  public record Command(String page, String language, String line) {}

  /** Returns all pages of the project. */
  public static List<Page> all() {
    List<Page> pages = new ArrayList<>();
    try {
      Files.walkFileTree(
          ROOT,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes unused) {
              return SKIPPED_FOLDERS.contains(folder.getFileName().toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes unused)
                throws IOException {
              if (file.toString().endsWith(".md")) {
                pages.add(new Page(ROOT.relativize(file).toString(), Files.readString(file)));
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return pages;
  }

  /**
   * Returns the folder that relative links start from. Pages of {@code dist} are at the root of the
   * unpacked archive.
   */
  Path folder() {
    Path file = ROOT.resolve(name);
    return name.startsWith("cli/src/dist/") ? ROOT : file.getParent();
  }

  /** Returns the targets of links outside of code. */
  List<String> links() {
    return LINK.matcher(prose()).results().map(link -> link.group(1)).toList();
  }

  /** Returns the anchors of the headings, as GitHub generates them. */
  Set<String> anchors() {
    return HEADING
        .matcher(FENCED.matcher(text).replaceAll(""))
        .results()
        .map(heading -> anchor(heading.group(1)))
        .collect(Collectors.toSet());
  }

  private static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
        .replace(' ', '-');
  }

  private String prose() {
    return CODE.matcher(FENCED.matcher(text).replaceAll("")).replaceAll("");
  }

  /** Returns all commands in order. */
  public List<Command> commands() {
    List<Command> commands = new ArrayList<>();
    for (MatchResult block : FENCED.matcher(text).results().toList()) {
      String language = block.group(1);
      if (language.equals("console")) {
        PROMPT_LINE
            .matcher(block.group(2))
            .results()
            .forEach(c -> add(language, c.group(1), commands));
      } else if (Set.of("sh", "bash", "shell").contains(language)) {
        block.group(2).lines().forEach(line -> add(language, line, commands));
      }
    }
    String unfenced = FENCED.matcher(text).replaceAll("");
    for (MatchResult block : INDENTED.matcher(unfenced).results().toList()) {
      block
          .group(1)
          .lines()
          .map(String::strip)
          .filter(line -> COMMAND.matcher(line).matches())
          .forEach(line -> add("", line, commands));
    }
    return commands;
  }

  private void add(String language, String line, List<Command> commands) {
    commands.add(new Command(name, language, line));
  }
}
