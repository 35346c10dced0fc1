package io.penstock;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles and runs the Java snippets of the README and of docs/library.md. */
class ReadmeTest {
  private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

  @TempDir Path folder;

  @Test
  void readme_firstLines_limitAUser() throws Exception {
    Object answer =
        run(
            block(0).replace("if (", "for (int i = 0; i < 45; i++) if (")
                + "return java.util.List.of(d, both, w);");
    assertThat(answer).asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST).hasSize(3);
    assertThat((List<?>) answer)
        .allSatisfy(decision -> assertThat(decision).isInstanceOf(Decision.class));
    assertThat(((Decision) ((List<?>) answer).get(0)).allowed()).isTrue();
    assertThat(((Decision) ((List<?>) answer).get(1)).results()).hasSize(2);
  }

  @Test
  void readme_firstLinesAfterTheBurst_sayTooMany() throws Exception {
    String lines = block(0).replace("if (", "for (int i = 0; i < 600; i++) if (");
    assertThat(run(lines + "return d;")).isEqualTo("too many");
  }

  @Test
  void readme_otherSnippets_behaveAsDescribed() throws Exception {
    // So slow that nothing is refilled while this runs.
    String perUser = "var perUser = RateLimiter.inProcess(\"user\", Limit.perHour(1).burst(50));";
    assertThat(run(perUser + block(1) + "return left;")).isEqualTo(44.0);
  }

  @Test
  void library_snippets_run() throws Exception {
    Path page = Path.of("..", "docs", "library.md");
    String snippets = block(page, 0) + block(page, 2) + block(page, 1);
    String calls = "for (int i = 0; i < 60; i++) perUser.tryAcquire(id);";
    assertThat(run(snippets + calls + "return denials.sum() > 0 && decision.allowed();"))
        .isEqualTo(true);
  }

  @Test
  void library_storeFailures_run() throws Exception {
    Path page = Path.of("..", "docs", "library.md");
    assertThat(run(block(page, 4) + "return login.allowed() && !login.degraded();"))
        .isEqualTo(true);
  }

  @Test
  void library_manualClock_refillsTheBucket() throws Exception {
    Path page = Path.of("..", "docs", "library.md");
    assertThat(run(block(page, 5) + "return java.util.List.of(first, second, third);"))
        .isEqualTo(List.of(true, false, true));
  }

  private static String block(int index) throws Exception {
    return block(Path.of("..", "README.md"), index);
  }

  private static String block(Path page, int index) throws Exception {
    Matcher matcher = JAVA.matcher(Files.readString(page));
    for (int i = 0; i <= index; i++) {
      assertThat(matcher.find()).isTrue();
    }
    return matcher.group(1);
  }

  private Object run(String statements) throws Exception {
    Path source = folder.resolve("Snippet.java");
    Files.writeString(
        source,
        """
        import io.penstock.*;
        import io.penstock.inprocess.*;
        import io.penstock.testing.*;
        import java.time.Duration;
        public class Snippet {
          Store shared = InProcessStore.create();
          GlobalLimiter global = RateLimiter.inProcess("all", Limit.perSecond(1000)).global();
          double tokensUsed = 7;
          Object tooMany() { return "too many"; }
          void log(String line) {}
          void reply(Decision decision) {}
          void count(String limiter, boolean allowed) {}
          public Object run(String id) throws Exception {
        """
            + statements
            + "}}");
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source.toString());
    assertThat(status).as("javac of %s", statements).isZero();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      Object snippet = loader.loadClass("Snippet").getConstructor().newInstance();
      return snippet.getClass().getMethod("run", String.class).invoke(snippet, "user-42");
    }
  }
}
