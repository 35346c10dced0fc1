package io.penstock.policy.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** Files that can be read to their end. To open a pipe without a writer would wait for ever. */
public final class RegularFile {
  private RegularFile() {}

  /**
   * Checks that a file, or what a link leads to, is a regular one.
   *
   * @throws IOException if it isn't, or isn't there
   */
  public static void check(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
      throw new IOException("must be a regular file");
    }
  }
}
