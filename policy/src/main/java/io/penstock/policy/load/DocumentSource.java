package io.penstock.policy.load;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The source of a document. Immutable, except that {@code files} records what was read.
 *
 * @param prefix the prefix of rule names
 * @param folder the folder that relative file names refer to
 * @param files the files that have been read
 */
record DocumentSource(String prefix, Path folder, ReadFiles files) {
  /**
   * Returns the file that a field refers to. Reports an error and returns null if it can't be read.
   */
  @Nullable Path file(Fields fields, String name) {
    Path file = resolved(fields, name);
    return file == null || content(file, fields, name) == null ? null : file;
  }

  /**
   * Returns the text of the file that a field refers to. Reports an error and returns null if it
   * can't be read.
   */
  @Nullable String content(Fields fields, String name) {
    Path file = resolved(fields, name);
    return file == null ? null : content(file, fields, name);
  }

  private @Nullable Path resolved(Fields fields, String name) {
    return fields.text(
        name,
        text -> {
          try {
            return folder.resolve(text);
          } catch (InvalidPathException e) {
            throw new IllegalArgumentException("must be the path of a file: " + text, e);
          }
        });
  }

  private @Nullable String content(Path file, Fields fields, String name) {
    try {
      return files.text(file);
    } catch (IOException e) {
      fields.error(name, ReadFiles.reason(e) + ": " + file);
      return null;
    }
  }
}
