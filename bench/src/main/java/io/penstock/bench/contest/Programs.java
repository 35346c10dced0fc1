package io.penstock.bench.contest;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds installed programs. */
public final class Programs {
  private Programs() {}

  /** Searches the PATH, and the folder of servers on Debian. */
  public static Optional<Path> find(String name) {
    Stream<String> folders =
        Stream.concat(
            Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1)),
            Stream.of("/usr/sbin"));
    return folders
        .map(folder -> Path.of(folder, name))
        .filter(path -> path.toFile().canExecute())
        .findFirst();
  }
}
