package io.penstock.server.tls;

import io.penstock.policy.file.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the files of certificates and keys. */
final class PemFile {
  static final int MAX_BYTES = 16 << 20;

  private PemFile() {}

  /**
   * Reads a file.
   *
   * @throws IOException if it can't be read, is too large or not a regular file, such as a pipe;
   *     the message contains the file and, except for a missing one, the reason
   */
  static byte[] read(Path file) throws IOException {
    try {
      RegularFile.check(file);
    } catch (FileSystemException e) {
      throw e;
    } catch (IOException e) {
      throw new FileSystemException(file.toString(), null, e.getMessage());
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new FileSystemException(
            file.toString(), null, "must not be larger than " + (MAX_BYTES >> 20) + " MiB");
      }
      return bytes;
    }
  }
}
