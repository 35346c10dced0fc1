package io.penstock.policy.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Checks that files can be read to their end. Opening a pipe without a writer would block forever.
 */
public final class RegularFile {
  private RegularFile() {}

  /**
   * Checks that a file, or the target of a link, is a regular file.
   *
   * @throws IOException if it isn't, or doesn't exist
   */
  public static void check(Path file) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
      throw new IOException("must be a regular file");
    }
  }
}
