package io.penstock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks the library metadata in the runnable jar. */
class JarContentsIT {
  private static final Pattern POM =
      Pattern.compile("META-INF/maven/([^/]+)/([^/]+)/pom\\.properties");

  /** The first version without CVE-2025-11226, CVE-2026-1225 and CVE-2026-13006. */
  private static final Version MIN_LOGBACK = Version.parse("1.5.37");

  @Test
  void jar_everyLibrary_isListedWithItsVersionForScanners() throws IOException {
    try (JarFile jar = new JarFile(JarRun.JAR.toFile())) {
      List<String> listed = listed(jar);
      List<String> missing = new ArrayList<>();
      for (String element :
          System.getProperty("java.class.path").split(System.getProperty("path.separator"), -1)) {
        Path file = Path.of(element);
        if (element.endsWith(".jar") && isShaded(file, jar)) {
          String artifact = file.getParent().getParent().getFileName().toString();
          String version = file.getParent().getFileName().toString();
          if (!listed.contains(artifact + ":" + version)) {
            missing.add(artifact + ":" + version);
          }
        }
      }
      assertThat(missing)
          .as("libraries to add to cli/src/main/scanners, with their versions")
          .isEmpty();
      assertThat(listed).hasSizeGreaterThan(20).anyMatch(name -> name.startsWith("logback-core:"));
    }
  }

  @Test
  void jar_logback_isAtLeastTheMinVersion() throws IOException {
    try (JarFile jar = new JarFile(JarRun.JAR.toFile())) {
      for (String library : List.of("logback-core:", "logback-classic:")) {
        assertThat(listed(jar))
            .filteredOn(name -> name.startsWith(library))
            .singleElement()
            .satisfies(
                name ->
                    assertThat(Version.parse(name.substring(library.length())))
                        .isGreaterThanOrEqualTo(MIN_LOGBACK));
      }
    }
  }

  /** Returns the artifacts of the jar as {@code name:version}. */
  private static List<String> listed(JarFile jar) throws IOException {
    List<String> listed = new ArrayList<>();
    for (JarEntry entry : jar.stream().toList()) {
      Matcher pom = POM.matcher(entry.getName());
      if (pom.matches()) {
        Properties properties = new Properties();
        try (InputStream content = jar.getInputStream(entry)) {
          properties.load(content);
        }
        assertThat(properties.getProperty("groupId")).isEqualTo(pom.group(1));
        assertThat(properties.getProperty("artifactId")).isEqualTo(pom.group(2));
        listed.add(pom.group(2) + ":" + properties.getProperty("version"));
      }
    }
    return listed;
  }

  /**
   * Returns whether the jar contains the classes of a library. False for a library without classes.
   */
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
