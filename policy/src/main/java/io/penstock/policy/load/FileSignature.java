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

/** What files look like from outside: another signature means that they may have changed. */
record FileSignature(List<FileStamp> entries) {
  /** Some file systems tell times apart by no less than this. */
  private static final Duration COARSEST_TICK = Duration.ofSeconds(2);

  /**
   * One file.
   *
   * @param real where links lead to; null, as all the rest, if there is nothing
   * @param key the identity of the file, where file systems have such a thing
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

  /** The signature of a policy and of the other files that it needs. */
  static FileSignature of(Path root, Set<Path> needed) {
    Set<Path> files = new LinkedHashSet<>();
    try {
      files.addAll(PolicyFiles.under(root));
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

  /** Whether a file was changed so lately that another change might look the same. */
  boolean isFresh(Instant now) {
    return entries.stream().anyMatch(entry -> entry.isFresh(now));
  }
}
