package io.penstock.policy.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Loads policies. Reports all errors of a policy at once, each with its location. A policy with
 * errors is never returned.
 */
public final class PolicyLoader {
  private PolicyLoader() {}

  /**
   * Loads a policy from a file, or from all {@code .yaml}, {@code .yml} and {@code .json} files in
   * a folder. Rules from a folder are named {@code file/rule}.
   *
   * @throws PolicyException if the policy can't be used
   */
  public static LoadedPolicy load(Path fileOrFolder) {
    return load(fileOrFolder, Set.of(), new ReadFiles());
  }

  /**
   * Parses a policy. File names in it are relative to the working directory.
   *
   * @param name the name of the text in error messages; JSON if it ends in {@code .json}, else YAML
   * @throws PolicyException if the policy can't be used
   */
  public static LoadedPolicy parse(String text, String name) {
    return parse(text, name, Set.of());
  }

  /**
   * Like {@link #parse(String, String)}, in an application that supplies attributes of its own.
   *
   * @param supplied the names of these attributes, which rules may use without a declaration
   * @throws PolicyException if the policy can't be used
   */
  public static LoadedPolicy parse(String text, String name, Set<String> supplied) {
    Problems problems = new Problems();
    PolicyDraft draft = new PolicyDraft(supplied, problems);
    add(text, name, new DocumentSource("", Path.of(""), new ReadFiles()), draft, problems);
    return draft.finish(Location.of(name));
  }

  static LoadedPolicy load(Path root, Set<String> supplied, ReadFiles read) {
    Problems problems = new Problems();
    PolicyDraft draft = new PolicyDraft(supplied, problems);
    boolean isFolder = Files.isDirectory(root);
    List<Path> files = filesUnder(root, read, problems);
    if (isFolder && files.isEmpty() && problems.errorCount() == 0) {
      problems.error(
          Location.of(root.toString()), "", "contains no policies (*.yaml, *.yml, *.json)");
    }
    if (isFolder) {
      PolicyFiles.foldersUnder(root)
          .forEach(
              folder ->
                  problems.warning(
                      Location.of(folder.toString()),
                      "",
                      "is not read, because policies are read from one folder without its"
                          + " sub-folders; move the files up"));
    }
    for (Path file : files) {
      String prefix = isFolder ? PolicyFiles.baseName(file) + "/" : "";
      Path parent = file.toAbsolutePath().getParent();
      DocumentSource origin = new DocumentSource(prefix, parent == null ? file : parent, read);
      try {
        add(read.text(file), file.toString(), origin, draft, problems);
      } catch (IOException e) {
        problems.error(Location.of(file.toString()), "", ReadFiles.reason(e));
      }
    }
    return draft.finish(Location.of(root.toString()));
  }

  private static List<Path> filesUnder(Path root, ReadFiles read, Problems problems) {
    try {
      return PolicyFiles.under(root);
    } catch (IOException e) {
      problems.error(Location.of(root.toString()), "", ReadFiles.reason(e));
      read.recordFailure(root);
      return List.of();
    }
  }

  private static void add(
      String text, String name, DocumentSource origin, PolicyDraft draft, Problems problems) {
    Node document = Document.parse(text, name, problems);
    if (document != null) {
      PlaceholderCheck.check(document, "", problems);
      draft.add(document, origin);
    }
  }
}
