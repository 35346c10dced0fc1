package io.penstock.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks that {@code mvnw} verifies the Maven distribution that it downloads. */
class MavenWrapperTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path PROPERTIES =
      ROOT.resolve(".mvn").resolve("wrapper").resolve("maven-wrapper.properties");

  @TempDir Path folder;

  @Test
  void properties_distribution_hasAChecksum() throws IOException {
    Properties properties = new Properties();
    try (var reader = Files.newBufferedReader(PROPERTIES)) {
      properties.load(reader);
    }
    assertThat(properties.getProperty("distributionUrl")).startsWith("https://");
    assertThat(properties.getProperty("distributionSha256Sum")).matches("[0-9a-f]{64}");
  }

  @Test
  void mvnw_distributionWithAnotherChecksum_isNotRun() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/unzip")), "no unzip");
    Path repository = Files.createDirectories(folder.resolve("repository"));
    Path zip = distribution(repository.resolve("apache-maven-0.0.1-bin.zip"));
    String right = HexFormat.of().formatHex(digest(Files.readAllBytes(zip)));

    assertThat(run(zip, right)).contains("this is Maven");
    assertThat(run(zip, "0".repeat(64)))
        .contains("Failed to validate Maven distribution SHA-256")
        .doesNotContain("this is Maven");
  }

  private static byte[] digest(byte[] content) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(content);
  }

  /** Writes a fake Maven distribution that only prints a line. */
  private static Path distribution(Path zip) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
      out.putNextEntry(new ZipEntry("apache-maven-0.0.1/bin/mvn"));
      out.write("#!/bin/sh\necho this is Maven\n".getBytes(UTF_8));
    }
    return zip;
  }

  /** Returns the output of our {@code mvnw} in a project with another distribution. */
  private String run(Path zip, String checksum) throws IOException {
    Path project = Files.createTempDirectory(folder, "project");
    Path wrapper = Files.createDirectories(project.resolve(".mvn").resolve("wrapper"));
    Files.writeString(
        wrapper.resolve("maven-wrapper.properties"),
        "wrapperVersion=3.3.4\ndistributionType=only-script\ndistributionUrl="
            + zip.toUri().toString().replace("file:/", "file:///").replace("////", "//")
            + "\ndistributionSha256Sum="
            + checksum
            + "\n");
    Path script = Files.copy(ROOT.resolve("mvnw"), project.resolve("mvnw"));
    // With credentials, mvnw downloads with Java, which supports file URLs. The zip has no file
    // modes, so sh runs the unpacked script.
    String run =
        "MAVEN_USER_HOME="
            + project
            + "/home MVNW_USERNAME=a MVNW_PASSWORD=b sh "
            + script
            + " --version || { mvn=$(find "
            + project
            + "/home -name mvn 2>/dev/null);"
            + " [ -n \"$mvn\" ] && sh \"$mvn\"; }";
    try (JarRun process = JarRun.startCommand(project, List.of("sh", "-c", run))) {
      process.await();
      return process.out() + process.err();
    }
  }
}
