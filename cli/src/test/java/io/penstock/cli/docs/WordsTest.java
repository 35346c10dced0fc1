package io.penstock.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Checks that documents, messages, comments and names use standard terms: {@code words.txt} lists
 * words to avoid and the words to use instead.
 */
class WordsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final String ARROW = "->";

  private static final Pattern TEXT_FILE =
      Pattern.compile(
          ".*\\.(md|java|lua|sql|ya?ml|json|properties|xml|conf|service|txt|js|html|css|sh|proto)"
              + "|(.*/)?(run|count|penstock|Dockerfile)");

  private static final Pattern SKIPPED_FOLDER =
      Pattern.compile("(.*/)?(target|\\.git|\\.mvn|\\.idea|vendor|src/(?!main|dist|assembly)\\w+)");

  /** Migrations that have been applied somewhere must not be edited. */
  private static final Pattern UNCHANGEABLE = Pattern.compile(".*/migrations/V[123]__.*");

  private record AvoidedWord(Pattern pattern, String replacement) {
    static AvoidedWord parse(String line) {
      int arrow = line.lastIndexOf(ARROW);
      return new AvoidedWord(
          Pattern.compile(line.substring(0, arrow).strip(), Pattern.CASE_INSENSITIVE),
          line.substring(arrow + ARROW.length()).strip());
    }
  }

  private static final List<AvoidedWord> WORDS = words();

  private static List<AvoidedWord> words() {
    try (InputStream list =
        Objects.requireNonNull(WordsTest.class.getResourceAsStream("words.txt"))) {
      return new String(list.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(AvoidedWord::parse)
          .toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void documentsAndMainCode_containNoAvoidedWord() throws IOException {
    List<Path> files = checkedFiles();
    List<String> found =
        files.parallelStream().flatMap(file -> findIn(file).stream()).sorted().toList();

    assertThat(files).hasSizeGreaterThan(500);
    assertThat(found).as("see cli/src/test/resources/io/penstock/cli/docs/words.txt").isEmpty();
  }

  @Test
  void find_avoidedWord_namesItAndItsReplacement() {
    assertThat(find("While the store is away, requests pass."))
        .containsExactly("\"is away\": write unavailable, unreachable");
    assertThat(find("private static final int FEWEST_KEYS = 3;"))
        .containsExactly("\"FEWEST_K\": write MIN_");
    assertThat(find("a request that the limiter refused"))
        .containsExactly("\"refused\": write denied, rejected, throttled");
    assertThat(find("Who sends more is denied.")).hasSize(1);
  }

  @Test
  void find_otherMeaning_isAccepted() {
    assertThat(find("the origin refused the connection, 5 units away; at most the most recent"))
        .isEmpty();
    assertThat(find("410 Gone, users who can write a row; outstanding; the longest wait"))
        .isEmpty();
  }

  private static List<String> findIn(Path file) {
    List<String> found = new ArrayList<>();
    try {
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        for (String word : find(lines.get(i))) {
          found.add(name(file) + ":" + (i + 1) + ": " + word);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private static List<Path> checkedFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes unused) {
            return SKIPPED_FOLDER.matcher(name(folder)).matches()
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes unused) {
            String name = name(file);
            if (TEXT_FILE.matcher(name).matches() && !UNCHANGEABLE.matcher(name).matches()) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }

  private static String name(Path path) {
    return ROOT.relativize(path).toString().replace('\\', '/');
  }

  private static List<String> find(String line) {
    List<String> found = new ArrayList<>();
    for (AvoidedWord word : WORDS) {
      Matcher match = word.pattern().matcher(line);
      if (match.find()) {
        found.add('"' + match.group() + "\": write " + word.replacement());
      }
    }
    return found;
  }
}
