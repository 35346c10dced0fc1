package io.penstock.policy.accesslog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;

/**
 * A log to read: a file or standard input, plain or compressed with gzip or zstd, which the first
 * bytes show.
 */
public final class LogSource {
  private static final int BUFFER = 1 << 16;
  private static final int MAGIC_LENGTH = 4;
  private static final Map<String, String> OTHER_COMPRESSION =
      Map.of("BZh", "bzip2", "\u00fd7zX", "xz", "PK\u0003\u0004", "zip", "\u0004\"M\u0018", "lz4");

  private final String name;
  private final long size;
  private final boolean isReopenable;
  private final StreamOpener opener;

  private interface StreamOpener {
    InputStream open() throws IOException;
  }

  private LogSource(String name, long size, boolean isReopenable, StreamOpener opener) {
    this.name = name;
    this.size = size;
    this.isReopenable = isReopenable;
    this.opener = opener;
  }

  /**
   * Returns a log in a file.
   *
   * @throws AccessLogException if there is no such file
   */
  public static LogSource of(Path file) {
    if (!Files.isReadable(file) || Files.isDirectory(file)) {
      throw new AccessLogException(
          file
              + (Files.isDirectory(file)
                  ? ": is a directory; name the files in it"
                  : Files.exists(file) ? ": is not readable" : ": no such file"));
    }
    try {
      boolean isRegular = Files.isRegularFile(file);
      long size = isRegular ? Files.size(file) : 0;
      // Streams of the NIO API seek, which pipes can't.
      return new LogSource(
          file.toString(), size, isRegular, () -> new FileInputStream(file.toFile()));
    } catch (IOException e) {
      throw new AccessLogException(file + ": cannot be read: " + e.getMessage(), e);
    }
  }

  /** Returns a log that is read from a stream, once. */
  public static LogSource of(String name, InputStream in) {
    return new LogSource(name, 0, false, () -> in);
  }

  String name() {
    return name;
  }

  /** Returns whether the log can be opened more than once. */
  boolean isReopenable() {
    return isReopenable;
  }

  /** Returns the size in bytes, compressed if it is; 0 if unknown. */
  public long size() {
    return size;
  }

  /**
   * Opens the log and decompresses it.
   *
   * @param bytesRead is increased by the compressed bytes that are read
   */
  InputStream open(AtomicLong bytesRead) throws IOException {
    InputStream in = new MemberStream(new CountingStream(opener.open(), bytesRead));
    in.mark(MAGIC_LENGTH);
    byte[] magic = in.readNBytes(MAGIC_LENGTH);
    in.reset();
    if (magic.length >= 2 && (magic[0] & 0xff) == 0x1f && (magic[1] & 0xff) == 0x8b) {
      return new WholeGzipStream(in);
    }
    if (magic.length == MAGIC_LENGTH
        && (magic[0] & 0xff) == 0x28
        && (magic[1] & 0xff) == 0xb5
        && (magic[2] & 0xff) == 0x2f
        && (magic[3] & 0xff) == 0xfd) {
      return zstd(in);
    }
    for (Map.Entry<String, String> other : OTHER_COMPRESSION.entrySet()) {
      if (new String(magic, ISO_8859_1).startsWith(other.getKey())) {
        throw new IOException(
            other.getValue() + " is not supported; pipe the decompressed log to standard input");
      }
    }
    return in;
  }

  private InputStream zstd(InputStream in) throws IOException {
    try {
      return ZstdStream.open(in);
    } catch (LinkageError e) {
      throw new AccessLogException(
          name + ": is compressed with zstd, which needs com.github.luben:zstd-jni", e);
    }
  }

  /**
   * Reports bytes as available until the end. {@code GZIPInputStream} reads no further member of a
   * file if nothing is available at the end of one, as happens with pipes.
   */
  private static final class MemberStream extends BufferedInputStream {
    MemberStream(InputStream in) {
      super(in, BUFFER);
    }

    @Override
    public synchronized int available() throws IOException {
      int available = super.available();
      if (available > 0) {
        return available;
      }
      mark(1);
      int next = read();
      reset();
      return next < 0 ? 0 : 1;
    }
  }

  /** Loaded only for logs that are compressed with zstd, because the library is optional. */
  private static final class ZstdStream {
    static InputStream open(InputStream in) throws IOException {
      return new ZstdInputStream(in);
    }
  }

  /** Reports data after the last member, which {@code GZIPInputStream} ignores. */
  private static final class WholeGzipStream extends GZIPInputStream {
    private static final int TRAILER = 8;
    private boolean isFollowed;

    WholeGzipStream(InputStream in) throws IOException {
      super(in, BUFFER);
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int count = super.read(bytes, from, length);
      isFollowed |= count < 0 && (inf.getRemaining() > TRAILER || in.read() >= 0);
      if (isFollowed) {
        throw new IOException("the compressed data is followed by other data");
      }
      return count;
    }
  }

  private static final class CountingStream extends FilterInputStream {
    private final AtomicLong count;

    CountingStream(InputStream in, AtomicLong count) {
      super(in);
      this.count = count;
    }

    @Override
    public int read() throws IOException {
      int read = super.read();
      count.addAndGet(read < 0 ? 0 : 1);
      return read;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      int read = super.read(bytes, from, length);
      count.addAndGet(Math.max(0, read));
      return read;
    }
  }
}
