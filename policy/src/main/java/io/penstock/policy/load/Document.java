package io.penstock.policy.load;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Reads JSON and YAML documents of up to 64 MiB and 50 levels into trees with source locations. */
public final class Document {
  /** The maximum size of a file in bytes, and of a text in characters. */
  static final int MAX_BYTES = 64 << 20;

  private Document() {}

  /** Reads the text of a document into a tree. */
  private interface TreeReader {
    void read(String text, TreeBuilder tree) throws MalformedException;
  }

  /**
   * Parses one document: JSON if the name ends in {@code .json}, else YAML.
   *
   * @param name the name of the file in error messages
   * @return the document; null if it can't be read, in which case there are errors
   */
  public static @Nullable Node parse(String text, String name, Problems problems) {
    return parse(
        text,
        name,
        problems,
        isJson(name)
            ? (document, tree) -> JsonTreeReader.read(document, name, tree)
            : (document, tree) -> YamlTreeReader.read(document, name, tree, problems));
  }

  /**
   * Reads JSON that is nearly always valid. It is parsed without locations first, which takes less
   * time, and again with locations only if there are errors to report.
   *
   * @param reader converts the document; reports errors and returns null if it is invalid
   * @return the result of the reader; null if there are errors
   */
  public static <T> @Nullable T readJson(
      String text, String name, Problems problems, BiFunction<Node, Problems, @Nullable T> reader) {
    Problems unlocated = new Problems(0);
    Node quick =
        parse(
            text,
            name,
            unlocated,
            (document, tree) -> JsonTreeReader.readUnlocated(document, name, tree));
    T result = quick == null ? null : reader.apply(quick, unlocated);
    if (unlocated.errorCount() == 0) {
      return result;
    }
    Node document = parse(text, name, problems);
    return document == null ? null : reader.apply(document, problems);
  }

  private static @Nullable Node parse(
      String text, String name, Problems problems, TreeReader reader) {
    if (text.length() > MAX_BYTES) {
      problems.error(Location.of(name), "", "must not be larger than 64 MiB");
      return null;
    }
    // Some editors write a byte order mark at the start of a file.
    String document = text.startsWith("\ufeff") ? text.substring(1) : text;
    int before = problems.errorCount();
    TreeBuilder tree = new TreeBuilder(problems);
    try {
      reader.read(document, tree);
    } catch (MalformedException e) {
      problems.error(e.location(), "", String.valueOf(e.getMessage()));
    }
    Node root = tree.root();
    if (problems.errorCount() == before && isEmpty(root)) {
      problems.error(Location.of(name), "", "is empty");
    }
    return problems.errorCount() == before ? root : null;
  }

  /**
   * Reads the document in a file, as {@link #parse} does.
   *
   * @return the document; null if it can't be read, in which case there are errors
   */
  public static @Nullable Node read(Path file, Problems problems) {
    return read(file, new ReadFiles(), problems);
  }

  /** Like {@link #read(Path, Problems)}, and records the file as read. */
  public static @Nullable Node read(Path file, ReadFiles read, Problems problems) {
    try {
      return parse(read.text(file), file.toString(), problems);
    } catch (IOException e) {
      problems.error(Location.of(file.toString()), "", ReadFiles.reason(e));
      return null;
    }
  }

  private static boolean isEmpty(@Nullable Node root) {
    return root == null
        || (root instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.NULL);
  }

  private static boolean isJson(String name) {
    return name.toLowerCase(Locale.ROOT).endsWith(".json");
  }
}
