package io.penstock.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Checks that names in the documentation exist: tests on all pages, types, packages and scripts on
 * those about the code. Checks that a simple name is declared only once in main code, and that no
 * two source files have the same name.
 */
class NamesTest {
  private static final Pattern TEST = Pattern.compile("`([A-Z][a-z]\\w*(?:Test|IT))`");

  /**
   * {@code Segment} or {@code Segment.find} in inline code. In diagrams, only names of two or more
   * words.
   */
  private static final Pattern TYPE = Pattern.compile("\\b([A-Z][A-Za-z]*[a-z]\\w*)(?:\\.(\\w+))?");

  private static final Pattern DIAGRAM_TYPE =
      Pattern.compile("\\b([A-Z][a-z]+(?:[A-Z]\\w*)+)(?:\\.([a-z]\\w+))?");
  private static final Pattern CODE = Pattern.compile("(?<!`)`([^`\\n]+)`");
  private static final Pattern INDENTED = Pattern.compile("(?m)^ {4}.*$");
  private static final Pattern SCRIPT = Pattern.compile("`([\\w-]+\\.lua)`");
  private static final Path SCRIPTS = Path.of("../redis/src/main/resources/io/penstock/redis");
  private static final Pattern SOURCE =
      Pattern.compile("\\.\\.[/\\\\](?!samples|target)[\\w-]+[/\\\\]src[/\\\\].*\\.java$");
  private static final Pattern PACKAGE = Pattern.compile("\\bio\\.penstock(?:\\.[a-z]+)*\\b");

  /** Words that look like types but are not. */
  private static final Set<String> NOT_TYPES =
      Set.of("PostgreSQL", "WebFlux", "Retry", "After", "Pjcstress");

  /** Nested types that have the same meaning everywhere: the builder of the enclosing type. */
  private static final Set<String> IDIOMATIC = Set.of("Builder");

  private static final SourceTree SOURCES = SourceTree.ofTheProject();

  @Test
  void tests_thatPagesName_exist() {
    Set<String> named = new TreeSet<>();
    for (Page page : Page.all()) {
      TEST.matcher(page.text()).results().forEach(name -> named.add(name.group(1)));
    }

    assertThat(named).hasSizeGreaterThan(30).allMatch(SOURCES::hasType);
  }

  @Test
  void types_thatArchitectureAndGuaranteesName_exist() {
    assertThat(types(page("docs/ARCHITECTURE.md")))
        .hasSizeGreaterThan(100)
        .allMatch(NamesTest::exists);
    assertThat(types(page("docs/GUARANTEES.md")))
        .hasSizeGreaterThan(20)
        .allMatch(NamesTest::exists);
  }

  @Test
  void scripts_thatArchitectureNames_exist() {
    assertThat(SCRIPT.matcher(page("docs/ARCHITECTURE.md").text()).results())
        .hasSizeGreaterThan(5)
        .allMatch(name -> Files.exists(SCRIPTS.resolve(name.group(1))));
  }

  @Test
  void types_thatDontExist_areFound() {
    String text =
        "`Segment.find` and `Segment.lose` in `Segmint`\n\n    SegmentedThing → BucketTable.take\n";

    assertThat(types(new Page("docs/page.md", text)))
        .filteredOn(Predicate.not(NamesTest::exists))
        .containsExactlyInAnyOrder("Segment.lose", "Segmint", "SegmentedThing");
  }

  @Test
  void types_ofMainCode_haveUniqueNames() {
    Map<String, List<String>> declarations = SOURCES.declarations();

    assertThat(declarations).hasSizeGreaterThan(500);
    declarations.keySet().removeAll(IDIOMATIC);
    declarations.values().removeIf(files -> files.size() == 1);
    assertThat(declarations).as("types with the same simple name, and their files").isEmpty();
  }

  /** An architecture test belongs to its module. */
  @Test
  void files_ofMainTestsAndBenchmarks_haveUniqueNames() throws IOException {
    Map<String, List<Path>> files;
    try (Stream<Path> all = Files.walk(Path.of(".."))) {
      files =
          all.filter(file -> SOURCE.matcher(file.toString()).find())
              .collect(Collectors.groupingBy(file -> file.getFileName().toString()));
    }

    assertThat(files).hasSizeGreaterThan(1_000);
    files.keySet().removeAll(Set.of("package-info.java", "ArchitectureTest.java"));
    files.values().removeIf(same -> same.size() == 1);
    assertThat(files).as("files with the same name").isEmpty();
  }

  @Test
  void declarations_ofASource_includeNestedTypes() {
    String source =
        """
        public abstract sealed class Outer permits Inner {
          private record Inner(int a) {}
          static final class Other extends Outer {}
          // class Comment
          Object of(String text) { return "class Text"; }
        """;

    assertThat(SourceTree.declarations(source)).containsExactly("Outer", "Inner", "Other");
  }

  @Test
  void packages_ofArchitecture_areComplete() {
    Set<String> named = new TreeSet<>();
    PACKAGE
        .matcher(page("docs/ARCHITECTURE.md").text())
        .results()
        .map(MatchResult::group)
        .forEach(named::add);

    assertThat(named).containsExactlyInAnyOrderElementsOf(SOURCES.packages());
  }

  private static Page page(String name) {
    return Page.all().stream().filter(page -> page.name().equals(name)).findFirst().orElseThrow();
  }

  private static Set<String> types(Page page) {
    Stream<MatchResult> inline =
        CODE.matcher(page.text())
            .results()
            .flatMap(code -> TYPE.matcher(code.group(1)).results().toList().stream());
    Stream<MatchResult> inDiagrams =
        INDENTED
            .matcher(page.text())
            .results()
            .flatMap(line -> DIAGRAM_TYPE.matcher(line.group()).results().toList().stream());
    Set<String> types = new TreeSet<>();
    Stream.concat(inline, inDiagrams)
        .filter(name -> !NOT_TYPES.contains(name.group(1)))
        .forEach(name -> types.add(name.group()));
    return types;
  }

  /** Returns whether a type exists, or a type and a member that its source mentions. */
  private static boolean exists(String name) {
    List<String> parts = List.of(name.split("\\.", -1));
    return SOURCES.hasType(parts.get(0))
        && (parts.size() == 1 || SOURCES.hasWord(parts.get(0), parts.get(1)));
  }
}
