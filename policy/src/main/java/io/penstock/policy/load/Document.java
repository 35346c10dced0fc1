package io.penstock.policy.load;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Reads JSON and YAML documents of up to 64 MiB and 50 levels into trees with source locations. */
public final class Document {
  /** The maximum size of a file in bytes, and of a text in characters. */
  static final int MAX_BYTES = 64 << 20;

  private Document() {}

  /**
   * Parses one document: JSON if the name ends in {@code .json}, else YAML.
   *
   * @param name the name of the file in error messages
   * @return the document; null if it can't be read, in which case there are errors
   */
  public static @Nullable Node parse(String text, String name, Problems problems) {
    if (text.length() > MAX_BYTES) {
      problems.error(Location.of(name), "", "must not be larger than 64 MiB");
      return null;
    }
    // Some editors write a byte order mark at the start of a file.
    String document = text.startsWith("\ufeff") ? text.substring(1) : text;
    int before = problems.errorCount();
    TreeBuilder tree = new TreeBuilder(problems);
    try {
      if (isJson(name)) {
        JsonTreeReader.read(document, name, tree);
      } else {
        YamlTreeReader.read(document, name, tree, problems);
      }
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
    try {
      return parse(new ReadFiles().text(file), file.toString(), problems);
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
