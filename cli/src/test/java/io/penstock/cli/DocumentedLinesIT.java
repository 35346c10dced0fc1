package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.docs.Page;
import io.penstock.cli.docs.RunnableLine;
import io.penstock.cli.recipes.Program;
import java.nio.file.Path;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs single command lines from the documentation: their settings are valid, and their requests
 * succeed.
 */
@Tag("full")
class DocumentedLinesIT {
  @TempDir Path folder;

  @Test
  void lines_thatStartTheService_haveValidSettings() {
    List<String> lines = lines().filter(RunnableLine::isServe).toList();
    assertThat(lines).hasSizeGreaterThanOrEqualTo(4);

    SoftAssertions softly = new SoftAssertions();
    for (String line : lines) {
      String command = line.replace("./penstock", "penstock") + " --print-config";
      try (JarRun run = JarRun.startCommand(folder, PenstockShell.of(command))) {
        softly.assertThat(run.await()).as(line + "\n" + run.err()).isZero();
        softly.assertThat(run.out()).as(line).contains("port: 8080");
      }
    }
    softly.assertAll();
  }

  @Test
  void lines_thatSendRequests_succeed() {
    Program.onPath("curl");
    List<String> lines = lines().filter(RunnableLine::isRequest).toList();
    assertThat(lines).hasSizeGreaterThanOrEqualTo(3);

    SoftAssertions softly = new SoftAssertions();
    try (Service service = Service.start(folder)) {
      for (String line : lines) {
        String command = line.replace("localhost:8080", "127.0.0.1:" + service.port());
        try (JarRun run =
            JarRun.startCommand(folder, PenstockShell.of(command.replace("curl", "curl -f")))) {
          softly.assertThat(run.await()).as(line + "\n" + run.err()).isZero();
        }
      }
    }
    softly.assertAll();
  }

  private static java.util.stream.Stream<String> lines() {
    return Page.all().stream()
        .flatMap(page -> page.commands().stream())
        .filter(RunnableLine::is)
        .map(Page.Command::line)
        .distinct();
  }
}
