package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What the runnable jar says of the libraries in it. */
class JarContentsIT {
  private static final Pattern POM =
      Pattern.compile("META-INF/maven/([^/]+)/([^/]+)/pom\\.properties");

  @Test
  void jar_everyLibraryInIt_isNamedWithItsVersionForScanners() throws IOException {
    try (JarFile jar = new JarFile(JarRun.JAR.toFile())) {
      List<String> named = named(jar);
      List<String> missing = new ArrayList<>();
      for (String element :
          System.getProperty("java.class.path").split(System.getProperty("path.separator"), -1)) {
        Path file = Path.of(element);
        if (element.endsWith(".jar") && isShaded(file, jar)) {
          String artifact = file.getParent().getParent().getFileName().toString();
          String version = file.getParent().getFileName().toString();
          if (!named.contains(artifact + ":" + version)) {
            missing.add(artifact + ":" + version);
          }
        }
      }
      assertThat(missing)
          .as("to be written in cli/src/main/scanners, with the version of the build")
          .isEmpty();
      assertThat(named).hasSizeGreaterThan(20).anyMatch(name -> name.startsWith("logback-core:"));
    }
  }

  /** Artifacts and versions as {@code name:version}. */
  private static List<String> named(JarFile jar) throws IOException {
    List<String> named = new ArrayList<>();
    for (JarEntry entry : jar.stream().toList()) {
      Matcher pom = POM.matcher(entry.getName());
      if (pom.matches()) {
        Properties properties = new Properties();
        try (InputStream content = jar.getInputStream(entry)) {
          properties.load(content);
        }
        assertThat(properties.getProperty("groupId")).isEqualTo(pom.group(1));
        assertThat(properties.getProperty("artifactId")).isEqualTo(pom.group(2));
        named.add(pom.group(2) + ":" + properties.getProperty("version"));
      }
    }
    return named;
  }

  /** Whether the classes of a library, of which there may be none, are in the jar. */
  private static boolean isShaded(Path library, JarFile jar) throws IOException {
    if (library.getFileName().toString().startsWith("penstock-")) {
      return false;
    }
    try (JarFile own = new JarFile(library.toFile())) {
      return own.stream()
          .map(JarEntry::getName)
          .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
          .filter(name -> !name.startsWith("META-INF/"))
          .findFirst()
          .map(name -> jar.getEntry(name) != null)
          .orElse(false);
    }
  }
}
