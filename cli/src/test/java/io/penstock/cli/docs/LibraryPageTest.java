package io.penstock.cli.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compiles the snippet of docs/library.md that needs module redis. */
class LibraryPageTest {
  private static final Pattern SNIPPET =
      Pattern.compile("<!-- redis -->\\n```java\\n(.*?)```", Pattern.DOTALL);

  @TempDir Path folder;

  @Test
  void redisObserver_compiles() throws IOException {
    Matcher snippet = SNIPPET.matcher(Files.readString(Path.of("..", "docs", "library.md")));
    assertThat(snippet.find()).isTrue();
    Path source =
        Files.writeString(
            folder.resolve("Snippet.java"),
            """
            import io.penstock.*;
            import io.penstock.redis.*;
            class Snippet {
              void log(String line) {}
              void run() {
            """
                + snippet.group(1)
                + "}}");
    ByteArrayOutputStream errors = new ByteArrayOutputStream();

    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                errors,
                errors,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source.toString());

    assertThat(status).as(errors.toString(UTF_8)).isZero();
  }
}
