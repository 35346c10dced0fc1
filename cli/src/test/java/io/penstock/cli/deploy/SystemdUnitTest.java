package io.penstock.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cli.recipes.Program;
import io.penstock.server.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks deploy/systemd/penstock.service. */
class SystemdUnitTest {
  private static final String UNIT = DeployFile.text("systemd/penstock.service");
  private static final String COMMAND = "/opt/penstock/bin/penstock";

  private static String value(String name) {
    Matcher line = Pattern.compile("(?m)^" + name + "=(.*)$").matcher(UNIT);
    assertThat(line.find()).as(name).isTrue();
    return line.group(1);
  }

  @Test
  void commands_startAndReload_areThoseOfPenstock() {
    assertThat(value("ExecStart"))
        .isEqualTo(COMMAND + " serve --config /etc/penstock/penstock.yaml");
    assertThat(value("ExecReload")).isEqualTo("/bin/kill -HUP $MAINPID");
    assertThat(value("RestartPreventExitStatus")).isEqualTo("2");
  }

  @Test
  void stopTimeout_isLongerThanTheShutdownTimeout() {
    int seconds = Integer.parseInt(value("TimeoutStopSec").replace("s", ""));
    assertThat(1_000 * seconds)
        .isGreaterThanOrEqualTo(Integer.parseInt(Setting.SHUTDOWN_MS.otherwise()) + 5_000);
  }

  @Test
  void openFileLimit_isTwiceTheConnections() {
    assertThat(Integer.parseInt(value("LimitNOFILE")))
        .isGreaterThan(2 * Integer.parseInt(Setting.MAX_CONNECTIONS.otherwise()));
  }

  @Test
  void systemdAnalyze_reportsNoErrors(@TempDir Path folder) throws Exception {
    String analyze = Program.onPath("systemd-analyze");
    Path command = Files.createFile(folder.resolve("penstock"));
    assertThat(command.toFile().setExecutable(true)).isTrue();
    Path unit = folder.resolve("penstock.service");
    Files.writeString(unit, UNIT.replace(COMMAND, command.toString()));

    Path out = folder.resolve("out.txt");
    Process verify =
        new ProcessBuilder(List.of(analyze, "verify", "--man=no", unit.toString()))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    assertThat(verify.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(verify.exitValue()).as(Files.readString(out)).isZero();
    assertThat(Files.readString(out)).doesNotContain("penstock.service");
  }
}
