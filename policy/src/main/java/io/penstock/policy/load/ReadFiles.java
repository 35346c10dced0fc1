package io.penstock.policy.load;

import io.penstock.policy.file.RegularFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Reads files and remembers the digests of their content. Not thread-safe. */
public final class ReadFiles {
  private static final String UNREADABLE = "unreadable";

  private final Map<Path, String> digests = new TreeMap<>();

  /** Returns the current digests of {@code files}. */
  static ReadFiles now(Set<Path> files) {
    ReadFiles read = new ReadFiles();
    files.forEach(file -> read.digests.put(file, digestNow(file)));
    return read;
  }

  Set<Path> files() {
    return digests.keySet();
  }

  /** Returns whether both have the same files with the same content. */
  boolean sameAs(ReadFiles other) {
    return digests.equals(other.digests);
  }

  /** Remembers that a file could not be read. */
  void recordFailure(Path file) {
    digests.put(file, UNREADABLE);
  }

  /** Reads a file as UTF-8 text. */
  String text(Path file) throws IOException {
    byte[] bytes;
    try {
      bytes = bytes(file);
    } catch (IOException e) {
      recordFailure(file);
      throw e;
    }
    digests.put(file, digest(bytes));
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IOException("is not valid UTF-8", e);
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    RegularFile.check(file);
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(Document.MAX_BYTES + 1);
      if (bytes.length > Document.MAX_BYTES) {
        throw new IOException("must not be larger than 64 MiB");
      }
      return bytes;
    }
  }

  private static String digestNow(Path file) {
    try {
      return digest(bytes(file));
    } catch (IOException e) {
      return UNREADABLE;
    }
  }

  /** Returns why a file can't be read, without its name. */
  static String reason(IOException e) {
    if (e instanceof NoSuchFileException) {
      return "no such file";
    }
    if (e instanceof FileSystemException system) {
      return "can't be read: "
          + (system.getReason() == null ? e.getClass().getSimpleName() : system.getReason());
    }
    return String.valueOf(e.getMessage());
  }

  private static String digest(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is not available", e);
    }
  }
}
