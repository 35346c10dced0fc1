package io.penstock.policy.jwt;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** Reads a key set from a file when its modification time has changed. */
final class FileFetch implements KeyFetch {
  private final Path file;
  private @Nullable FileTime read;

  FileFetch(Path file) {
    this.file = file;
  }

  @Override
  public @Nullable KeySet fetch() throws IOException {
    FileTime modified = Files.getLastModifiedTime(file);
    if (modified.equals(read)) {
      return null;
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw new IOException("the JWK set must have at most " + MOST_BYTES + " bytes");
      }
      KeySet keys = KeySet.parse(new String(bytes, StandardCharsets.UTF_8));
      read = modified;
      return keys;
    }
  }
}
