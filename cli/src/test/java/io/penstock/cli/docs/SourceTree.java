package io.penstock.cli.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Java sources of the project, indexed by type name. */
final class SourceTree {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path MAIN = Path.of("src", "main", "java");

  private static final Pattern DECLARATION =
      Pattern.compile(
          "(?m)^\\s*(?:[a-z-]+ )*(?:class|interface|@interface|enum|record) ([A-Z]\\w*)");

  private final Map<String, List<Path>> filesByType;

  private SourceTree(Map<String, List<Path>> filesByType) {
    this.filesByType = filesByType;
  }

  static SourceTree ofTheProject() {
    try (Stream<Path> modules = Files.find(ROOT, 3, (path, unused) -> path.endsWith("src"))) {
      return new SourceTree(
          modules
              .filter(Files::isDirectory)
              .flatMap(SourceTree::sources)
              .collect(Collectors.groupingBy(SourceTree::type)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> sources(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String type(Path file) {
    String name = file.getFileName().toString();
    return name.substring(0, name.length() - ".java".length());
  }

  boolean hasType(String name) {
    return filesByType.containsKey(name);
  }

  boolean hasWord(String type, String word) {
    Pattern pattern = Pattern.compile("\\b" + Pattern.quote(word) + "\\b");
    return filesByType.get(type).stream().anyMatch(file -> pattern.matcher(read(file)).find());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the files that declare a type in main code, nested or not, by its simple name. */
  Map<String, List<String>> declarations() {
    Map<String, List<String>> declarations = new TreeMap<>();
    for (List<Path> files : filesByType.values()) {
      for (Path file : files) {
        String path = ROOT.relativize(file).toString();
        if (path.contains(MAIN.toString())) {
          declarations(read(file))
              .forEach(
                  name ->
                      declarations.computeIfAbsent(name, unused -> new ArrayList<>()).add(path));
        }
      }
    }
    return declarations;
  }

  /** Returns the simple names of the types that a source file declares. */
  static List<String> declarations(String source) {
    return DECLARATION.matcher(source).results().map(type -> type.group(1)).toList();
  }

  /** Returns all packages of published modules. */
  Set<String> packages() {
    Set<String> packages = new TreeSet<>();
    for (List<Path> files : filesByType.values()) {
      for (Path file : files) {
        String path = ROOT.relativize(file.getParent()).toString();
        int main = path.indexOf(MAIN.toString());
        if (main >= 0 && !path.startsWith("samples") && !path.startsWith("bench")) {
          packages.add(path.substring(main + MAIN.toString().length() + 1).replace('/', '.'));
        }
      }
    }
    return packages;
  }
}
