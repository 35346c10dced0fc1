package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.recipes.Program;
import io.penstock.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows docs/getting-started.md: each command prints the output shown below it. The test folder
 * looks like a built checkout, and free ports replace the documented ones.
 */
@Tag("full")
class GettingStartedIT {
  private static final Path PAGE = Path.of("..", "docs", "getting-started.md");
  private static final Path CORE = Path.of("..", "core", "target").toAbsolutePath().normalize();
  private static final Pattern STEP =
      Pattern.compile("(?ms)^```sh\\n(.*?)^```\\n\\n(?:^```text\\n(.*?)^```$)");

  /** A command that keeps running, so that the page continues in another terminal. */
  private static final Pattern LONG_RUNNING =
      Pattern.compile("(?s).*\\n(?:\\./penstock serve|java Origin)[^\\n]*\\n");

  private static final String ANYTHING = "…";

  @TempDir Path folder;

  private final Map<String, Integer> ports = new LinkedHashMap<>();
  private final List<JarRun> running = new ArrayList<>();

  @BeforeEach
  void prepareCheckout() throws IOException {
    Program.onPath("curl");
    for (String shown : List.of("8080", "9090", "8000", "3000")) {
      ports.put(shown, Ports.free());
    }
    Path penstock =
        Files.writeString(
            folder.resolve("penstock"),
            """
            #!/bin/sh
            export PENSTOCK_PORT=%d PENSTOCK_ADMIN_PORT=%d PENSTOCK_PROXY_PORT=%d
            exec '%s' -jar '%s' "$@"
            """
                .formatted(
                    ports.get("8080"),
                    ports.get("9090"),
                    ports.get("8000"),
                    JarRun.JAVA,
                    JarRun.JAR));
    assertThat(penstock.toFile().setExecutable(true)).isTrue();
    Files.createDirectory(folder.resolve("core"));
    Files.createSymbolicLink(folder.resolve("core").resolve("target"), CORE);
  }

  @AfterEach
  void end() {
    running.forEach(JarRun::close);
  }

  @Test
  void library_asDocumented_deniesTheFourth() throws IOException {
    assertThat(follow("Library")).isEqualTo(1);
  }

  @Test
  void service_asDocumented_deniesTheFourth() throws IOException {
    assertThat(follow("Decision service")).isEqualTo(2);
  }

  @Test
  void proxy_asDocumented_deniesTheFourth() throws IOException {
    assertThat(follow("Proxy")).isEqualTo(3);
  }

  /** Follows the steps of a section and returns their number. */
  private int follow(String heading) throws IOException {
    List<MatchResult> steps = STEP.matcher(section(heading)).results().toList();
    for (MatchResult step : steps) {
      Pattern printed = pattern(withTestPorts(step.group(2)));
      JarRun run = JarRun.startCommand(folder, shell(withTestPorts(step.group(1))));
      running.add(run);
      if (LONG_RUNNING.matcher("\n" + step.group(1)).matches()) {
        await("output: " + step.group(2))
            .until(() -> printed.matcher(run.out()).find() || !run.isAlive());
        assertThat(run.isAlive()).as(run.out()).isTrue();
      } else {
        assertThat(run.await()).as(run.out()).isZero();
        assertThat(run.out().replace("\r", "").strip()).matches(printed);
      }
    }
    return steps.size();
  }

  private static String section(String heading) throws IOException {
    String page = Files.readString(PAGE);
    int start = page.indexOf("\n## " + heading + "\n");
    assertThat(start).as(heading).isPositive();
    return page.substring(start, page.indexOf("\n## ", start + 1));
  }

  private static List<String> shell(String commands) {
    // exec replaces the shell, so that stopping the process stops the command.
    String exec = commands.replaceAll("\\n(\\./penstock serve|java Origin)", "\nexec $1");
    String java = "export PATH='" + JarRun.JAVA.getParent() + "':\"$PATH\"\n";
    return List.of("bash", "-c", "exec 2>&1\nset -e\n" + java + exec);
  }

  private String withTestPorts(String shown) {
    String replaced = shown;
    for (Map.Entry<String, Integer> port : ports.entrySet()) {
      replaced = replaced.replaceAll("\\b" + port.getKey() + "\\b", port.getValue().toString());
    }
    return replaced;
  }

  private static Pattern pattern(String shown) {
    return Pattern.compile(
        Stream.of(shown.strip().split(ANYTHING, -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*")));
  }
}
