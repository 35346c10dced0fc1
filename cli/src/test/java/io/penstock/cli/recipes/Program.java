package io.penstock.cli.recipes;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.nio.file.Path;

/** Finds programs that may not be installed. */
public final class Program {
  private Program() {}

  /** Returns the path of a program, or skips the test if it is not installed. */
  public static String onPath(String name) {
    // Debian keeps servers in sbin, which is on the path of root only.
    String path = System.getenv("PATH") + File.pathSeparator + "/usr/sbin";
    for (String folder : path.split(File.pathSeparator, -1)) {
      Path file = Path.of(folder, name);
      if (file.toFile().canExecute()) {
        return file.toString();
      }
    }
    return abort(name + " is not on the PATH; install it to test this recipe");
  }
}
