package io.penstock.policy.jwt;

import io.penstock.policy.file.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/** Reads a key set from a file if its modification time has changed. */
final class FileFetch implements KeyFetch {
  private final Path file;
  private @Nullable FileTime read;

  FileFetch(Path file) {
    this.file = file;
  }

  @Override
  public @Nullable KeySet fetch() throws IOException {
    try {
      return read();
    } catch (KeyFetchException e) {
      throw e;
    } catch (NoSuchFileException e) {
      throw new KeyFetchException(KeyFailure.FILE, "no such file: " + file, e);
    } catch (IOException e) {
      throw new KeyFetchException(KeyFailure.FILE, String.valueOf(e.getMessage()), e);
    }
  }

  private @Nullable KeySet read() throws IOException {
    FileTime modified = Files.getLastModifiedTime(file);
    if (modified.equals(read)) {
      return null;
    }
    RegularFile.check(file);
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException("the JWK set must have at most " + MAX_BYTES + " bytes");
      }
      KeySet keys = KeySet.parse(new String(bytes, StandardCharsets.UTF_8));
      read = modified;
      return keys;
    }
  }
}
