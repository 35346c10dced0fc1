package io.penstock.policy.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Lists the files of a policy. */
public final class PolicyFiles {
  private static final List<String> ENDINGS = List.of(".yaml", ".yml", ".json");

  private static final int MAX_DEPTH = 20;

  private PolicyFiles() {}

  /**
   * Returns a file itself, or the policies in a folder sorted by name. Hidden entries are skipped,
   * such as the {@code ..data} of mounted config maps, to which the visible links point.
   */
  public static List<Path> under(Path root) throws IOException {
    if (!Files.isDirectory(root)) {
      return List.of(root);
    }
    try (Stream<Path> entries = Files.list(root)) {
      return entries.filter(PolicyFiles::isPolicy).sorted().toList();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Like {@link #under}, with the files in folders of the folder, and so on. */
  public static List<Path> deepUnder(Path root) throws IOException {
    return deep(root, PolicyFiles::isPolicy);
  }

  /** Returns the visible files that {@link #deepUnder} leaves out because of their names. */
  public static List<Path> otherFilesUnder(Path root) throws IOException {
    return deep(root, file -> !isPolicy(file));
  }

  private static List<Path> deep(Path root, Predicate<Path> accepted) throws IOException {
    if (!Files.isDirectory(root)) {
      return accepted.test(root) || !Files.exists(root) ? List.of(root) : List.of();
    }
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        root,
        Set.of(FileVisitOption.FOLLOW_LINKS),
        MAX_DEPTH,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean hidden = !folder.equals(root) && name(folder).startsWith(".");
            return hidden ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (!name(file).startsWith(".") && accepted.test(file)) {
              files.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return files.stream().sorted().toList();
  }

  /** Returns the visible folders in a folder, whose files are not part of the policy. */
  static List<Path> foldersUnder(Path root) {
    try (Stream<Path> entries = Files.list(root)) {
      return entries
          .filter(entry -> Files.isDirectory(entry) && !name(entry).startsWith("."))
          .filter(folder -> !name(folder).equals("lost+found"))
          .sorted()
          .toList();
    } catch (IOException | UncheckedIOException unreadable) {
      return List.of(); // Reported when the files are listed.
    }
  }

  private static boolean isPolicy(Path file) {
    String name = name(file);
    return !name.startsWith(".")
        && ENDINGS.stream().anyMatch(name.toLowerCase(Locale.ROOT)::endsWith)
        && !Files.isDirectory(file);
  }

  /** Returns the name of a file without its extension. */
  static String baseName(Path file) {
    String name = name(file);
    return name.substring(0, name.lastIndexOf('.'));
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }
}
