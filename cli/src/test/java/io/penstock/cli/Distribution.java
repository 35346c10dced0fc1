package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The unpacked distribution archive.
 *
 * @param home its root folder
 */
record Distribution(Path home) {
  static Distribution unpack(Path folder) throws IOException {
    try (JarRun tar = JarRun.startCommand(folder, List.of("tar", "-xzf", archive().toString()))) {
      assertThat(tar.await()).as(tar.err()).isZero();
    }
    try (Stream<Path> unpacked = Files.list(folder)) {
      return new Distribution(
          unpacked.filter(Files::isDirectory).findFirst().orElseThrow().toAbsolutePath());
    }
  }

  private static Path archive() throws IOException {
    try (Stream<Path> built = Files.list(Path.of("target"))) {
      List<Path> archives =
          built
              .filter(file -> file.toString().endsWith(".tar.gz"))
              .map(Path::toAbsolutePath)
              .toList();
      assertThat(archives).as("after a change of version: ./mvnw clean").hasSize(1);
      return archives.get(0);
    }
  }

  Path command() {
    return home.resolve("bin").resolve("penstock");
  }

  List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }
}
