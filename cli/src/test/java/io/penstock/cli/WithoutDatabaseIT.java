package io.penstock.cli;

import static io.penstock.testing.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testing.Ports;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class WithoutDatabaseIT {
  @TempDir private Path folder;

  @Test
  void serve_withoutADatabase_loadsNoDatabaseClasses() {
    int admin = Ports.free();
    try (JarRun run =
        JarRun.startCommand(
            folder,
            List.of(
                JarRun.JAVA.toString(),
                "-Xlog:class+load",
                "-jar",
                JarRun.JAR.toString(),
                "serve",
                "--port=0",
                "--admin-port=" + admin))) {
      await("serving").until(() -> run.out().contains("http://") || !run.isAlive());
      assertThat(run.out())
          .contains("io.penstock.server.PenstockServer ")
          .doesNotContain(" com.zaxxer.", " org.flywaydb.", " org.postgresql.");
    }
  }
}
