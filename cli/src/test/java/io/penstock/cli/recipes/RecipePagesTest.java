package io.penstock.cli.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Checks the pages without running the programs. */
class RecipePagesTest {
  @Test
  void index_listsEveryPageAndEachCoversUnavailability() throws IOException {
    String index = RecipePage.of("README.md").text();

    for (String name : pages()) {
      assertThat(index).contains("](" + name + ")");
      assertThat(RecipePage.of(name).text())
          .as(name)
          .contains("\n## When Penstock is unavailable\n");
    }
  }

  private static List<String> pages() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("..", "docs", "recipes"))) {
      List<String> names =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> !name.equals("README.md"))
              .toList();
      assertThat(names).hasSizeGreaterThanOrEqualTo(7);
      return names;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"envoy.md", "traefik.md"})
  void configurations_thatNoTestRuns_areValidYaml(String name) {
    String config = RecipePage.of(name).block("yaml", new Changes());

    Object tree = new Load(LoadSettings.builder().build()).loadFromString(config);
    assertThat(tree).asString().contains("/v1/forward-auth");
  }
}
