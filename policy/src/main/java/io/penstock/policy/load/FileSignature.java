package io.penstock.policy.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The metadata of a set of files. A different signature means that the files may have changed. */
record FileSignature(List<FileStamp> entries) {
  /** The coarsest timestamp resolution of common file systems. */
  private static final Duration COARSEST_TICK = Duration.ofSeconds(2);

  /**
   * The metadata of one file.
   *
   * @param real the file with links resolved; null, like the other attributes, if the file doesn't
   *     exist
   * @param key the identity of the file, if the file system has one
   */
  private record FileStamp(
      Path file,
      @Nullable Path real,
      @Nullable Object key,
      long size,
      @Nullable FileTime modified) {

    static FileStamp of(Path file) {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        return new FileStamp(
            file,
            file.toRealPath(),
            attributes.fileKey(),
            attributes.size(),
            attributes.lastModifiedTime());
      } catch (IOException e) {
        return new FileStamp(file, null, null, 0, null);
      }
    }

    boolean isFresh(Instant now) {
      return modified != null
          && Duration.between(modified.toInstant(), now).abs().compareTo(COARSEST_TICK) < 0;
    }
  }

  /** Returns the signature of the files below {@code root}, and of the others that they need. */
  static FileSignature of(Path root, FileWatcher.FileListing listing, Set<Path> needed) {
    Set<Path> files = new LinkedHashSet<>();
    try {
      files.addAll(listing.under(root));
    } catch (IOException e) {
      files.add(root);
    }
    files.addAll(needed);
    List<FileStamp> entries = new ArrayList<>();
    files.forEach(file -> entries.add(FileStamp.of(file)));
    return new FileSignature(entries);
  }

  Set<Path> files() {
    Set<Path> files = new LinkedHashSet<>();
    entries.forEach(entry -> files.add(entry.file()));
    return files;
  }

  /** Returns whether a file was changed so recently that another change might not be visible. */
  boolean isFresh(Instant now) {
    return entries.stream().anyMatch(entry -> entry.isFresh(now));
  }
}
