package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.recipes.Program;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The ways of docs/getting-started.md, gone as the page says: its commands print what stands below
 * them. The folder looks like a checkout that has been built; ports are free ones.
 */
class GettingStartedIT {
  private static final Path PAGE = Path.of("..", "docs", "getting-started.md");
  private static final Path CORE = Path.of("..", "core", "target").toAbsolutePath().normalize();
  private static final Pattern STEP =
      Pattern.compile("(?ms)^```sh\\n(.*?)^```\\n\\n(?:^```text\\n(.*?)^```$)");

  /** A command that stays: who reads the page is asked to open another terminal. */
  private static final Pattern STAYS =
      Pattern.compile("(?s).*\\n(?:\\./penstock serve|java Origin)[^\\n]*\\n");

  private static final String ANYTHING = "…";

  @TempDir Path folder;

  private final Map<String, Integer> ports = new LinkedHashMap<>();
  private final List<JarRun> running = new ArrayList<>();

  @BeforeEach
  void lookLikeACheckout() throws IOException {
    Program.onPath("curl");
    for (String shown : List.of("8080", "9090", "8000", "3000")) {
      ports.put(shown, Service.freePort());
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
  void library_asThePageSays_deniesTheFourth() throws IOException {
    assertThat(go("Library")).isEqualTo(1);
  }

  @Test
  void service_asThePageSays_deniesTheFourth() throws IOException {
    assertThat(go("Decision service")).isEqualTo(2);
  }

  @Test
  void proxy_asThePageSays_deniesTheFourth() throws IOException {
    assertThat(go("Proxy")).isEqualTo(3);
  }

  /** Does what a section says; returns how many steps that were. */
  private int go(String heading) throws IOException {
    List<MatchResult> steps = STEP.matcher(section(heading)).results().toList();
    for (MatchResult step : steps) {
      Pattern printed = pattern(placed(step.group(2)));
      JarRun run = JarRun.startCommand(folder, shell(placed(step.group(1))));
      running.add(run);
      if (STAYS.matcher("\n" + step.group(1)).matches()) {
        Await.until(
            "what it prints: " + step.group(2),
            () -> printed.matcher(run.out()).find() || !run.isAlive());
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
    // What stays takes the place of the shell, so that it ends with the test.
    String exec = commands.replaceAll("\\n(\\./penstock serve|java Origin)", "\nexec $1");
    String java = "export PATH='" + JarRun.JAVA.getParent() + "':\"$PATH\"\n";
    return List.of("bash", "-c", "exec 2>&1\nset -e\n" + java + exec);
  }

  private String placed(String shown) {
    String placed = shown;
    for (Map.Entry<String, Integer> port : ports.entrySet()) {
      placed = placed.replaceAll("\\b" + port.getKey() + "\\b", port.getValue().toString());
    }
    return placed;
  }

  private static Pattern pattern(String shown) {
    return Pattern.compile(
        Stream.of(shown.strip().split(ANYTHING, -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*")));
  }
}
