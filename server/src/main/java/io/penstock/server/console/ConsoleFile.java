package io.penstock.server.console;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.GZIPOutputStream;

/**
 * A file of the console, in memory. Immutable.
 *
 * @param type the media type
 * @param tag the hash of the content, in quotes
 */
record ConsoleFile(String type, String tag, Buffer content, Buffer compressed) {
  private static final int TAG_BYTES = 16;

  /** Reads a file from the resources of this package. */
  static ConsoleFile read(String name) {
    try (InputStream in = ConsoleFile.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("missing resource: " + name);
      }
      byte[] content = in.readAllBytes();
      return new ConsoleFile(
          type(name), tag(content), Buffer.buffer(content), Buffer.buffer(gzip(content)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String type(String name) {
    String extension = name.substring(name.lastIndexOf('.') + 1);
    return switch (extension) {
      case "html" -> "text/html; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "svg" -> "image/svg+xml";
      default -> throw new IllegalArgumentException("no media type for: " + name);
    };
  }

  private static String tag(byte[] content) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
      return '"' + HexFormat.of().formatHex(hash, 0, TAG_BYTES) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing", e);
    }
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }
}
