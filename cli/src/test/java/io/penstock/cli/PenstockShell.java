package io.penstock.cli;

import java.util.List;

/** A shell in which the command {@code penstock} runs the jar. */
final class PenstockShell {
  private PenstockShell() {}

  static List<String> of(String line) {
    String penstock = "penstock() { '" + JarRun.JAVA + "' -jar '" + JarRun.JAR + "' \"$@\"; }\n";
    return List.of("bash", "-c", penstock + line);
  }
}
