package io.penstock.cli.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests docs/recipes/java.md. */
@Tag("full")
class JavaRecipeIT {
  /**
   * A program around the usage example of the page. It sends a request and returns the response.
   */
  private static final String PROGRAM =
      """
      import java.net.URI;
      import java.util.List;
      import java.util.concurrent.Callable;

      public final class Use implements Callable<String> {
        public Use() {}

        @Override
        public String call() throws Exception {
          %s
          return answer.allowed()
              + " " + answer.status()
              + " " + answer.headers().getOrDefault("ratelimit-remaining", List.of())
              + " " + answer.body().contains("quota-exceeded");
        }
      }
      """;

  @TempDir Path folder;

  private PenstockProcess penstock;

  @BeforeEach
  void start() {
    penstock = PenstockProcess.start(folder, PenstockProcess.policy("limits.yaml"));
  }

  @AfterEach
  void end() {
    penstock.close();
  }

  @Test
  void gate_upToTheBurst_allowsAndThenDenies() throws Exception {
    Changes longTimeouts = new Changes().with("ofMillis(250)", "ofMillis(8_000)");
    List<String> results = results(longTimeouts.with("ofMillis(100)", "ofMillis(8_000)"), 4);

    assertThat(results)
        .containsExactly(
            "true 200 [2] false", "true 200 [1] false", "true 200 [0] false", "false 429 [0] true");
  }

  @Test
  void gate_penstockHangs_allows() throws Exception {
    penstock.freeze();

    assertThat(results(new Changes(), 2)).containsOnly("true 200 [] false");
  }

  @Test
  void gate_penstockIsKilled_allows() throws Exception {
    penstock.kill();

    assertThat(results(new Changes(), 2)).containsOnly("true 200 [] false");
  }

  /** Runs the program several times and returns the results. */
  private List<String> results(Changes changes, int times) throws Exception {
    List<String> shown = RecipePage.of("java.md").blocks("java");
    String use = new Changes().with("127.0.0.1:8080", penstock.port()).in(shown.get(1));
    compile(
        Files.writeString(folder.resolve("Gate.java"), changes.in(shown.get(0))),
        Files.writeString(folder.resolve("Use.java"), PROGRAM.formatted(use)));
    try (URLClassLoader classes = new URLClassLoader(new URL[] {folder.toUri().toURL()})) {
      Callable<?> program =
          (Callable<?>) classes.loadClass("Use").getDeclaredConstructor().newInstance();
      String[] results = new String[times];
      for (int i = 0; i < times; i++) {
        results[i] = String.valueOf(program.call());
      }
      return List.of(results);
    }
  }

  private void compile(Path gate, Path program) {
    String[] arguments = {
      "--release", "17", "-Xlint:all", "-Werror", "-d", "" + folder, "" + gate, "" + program
    };
    assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments)).isZero();
  }
}
