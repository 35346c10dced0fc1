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
 * A page in Markdown.
 *
 * @param name its path from the root of the project
 */
public record Page(String name, String text) {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Set<String> NOT_OURS = Set.of("target", ".git", ".mvn", ".idea");
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```(\\w*)\\n(.*?)^ *```$");
  private static final Pattern CODE = Pattern.compile("`[^`\\n]+`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^()\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} (.+)$");
  private static final Pattern TYPED = Pattern.compile("(?m)^\\$ (.+)$");

  /** A line that is indented as code is, behind an empty one or another of its kind. */
  private static final Pattern INDENTED = Pattern.compile("(?m)(?<=\\n\\n|\\A)((?:^    .*\\n)+)");

  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:\\./|bin/|bench/|samples/)\\S+.*"
              + "|(?:penstock|curl|docker|kubectl|systemctl|java|redis-cli|psql|promtool|export) .*");

  /**
   * A command that somebody may type.
   *
   * @param language that of its block, or nothing if it is merely indented
   */
  public record Command(String page, String language, String line) {}

  /** All pages of the project. */
  public static List<Page> all() {
    List<Page> pages = new ArrayList<>();
    try {
      Files.walkFileTree(
          ROOT,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes unused) {
              return NOT_OURS.contains(folder.getFileName().toString())
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

  /** Where its relative links begin: what is in {@code dist} lies at the root once unpacked. */
  Path folder() {
    Path file = ROOT.resolve(name);
    return name.startsWith("cli/src/dist/") ? ROOT : file.getParent();
  }

  /** What links lead to, outside of code. */
  List<String> links() {
    return LINK.matcher(prose()).results().map(link -> link.group(1)).toList();
  }

  /** What links can end in after {@code #}, as GitHub names headings. */
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

  /** All commands, in their order. */
  public List<Command> commands() {
    List<Command> commands = new ArrayList<>();
    for (MatchResult block : FENCED.matcher(text).results().toList()) {
      String language = block.group(1);
      if (language.equals("console")) {
        TYPED.matcher(block.group(2)).results().forEach(c -> add(language, c.group(1), commands));
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
