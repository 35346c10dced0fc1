package io.penstock.server.envoy;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.PolicyException;
import io.penstock.policy.load.PolicyFiles;
import io.penstock.policy.load.Problems;
import io.penstock.policy.load.ReadFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Loads the configuration of envoyproxy/ratelimit from files. */
final class EnvoyConfigLoader {
  private EnvoyConfigLoader() {}

  /**
   * Loads files, and all YAML and JSON files in folders and the folders in them, as one
   * configuration. Other files in folders are reported.
   *
   * @param mergesDomains whether several files may configure the same domain
   * @param read records the files
   * @throws PolicyException if any of them is invalid
   */
  static EnvoyConfig load(List<Path> filesOrFolders, boolean mergesDomains, ReadFiles read) {
    Problems problems = new Problems();
    EnvoyConfigReader reader = new EnvoyConfigReader(problems, mergesDomains);
    for (Path fileOrFolder : filesOrFolders) {
      List<Path> files = files(fileOrFolder, problems);
      if (files.isEmpty() && problems.errorCount() == 0) {
        problems.error(
            Location.of(fileOrFolder.toString()),
            "",
            "contains no configurations (*.yaml, *.yml, *.json)");
      }
      for (Path file : files) {
        add(Document.read(file, read, problems), reader);
      }
    }
    return finish(reader, problems);
  }

  /**
   * Parses a configuration.
   *
   * @param name the name of the text in error messages
   * @throws PolicyException if it is invalid
   */
  static EnvoyConfig parse(String text, String name) {
    Problems problems = new Problems();
    EnvoyConfigReader reader = new EnvoyConfigReader(problems, false);
    add(Document.parse(text, name, problems), reader);
    return finish(reader, problems);
  }

  /**
   * Reads documents as one configuration.
   *
   * @param documents adds the documents, and reports those that can't be read
   * @throws PolicyException if any of them is invalid
   */
  static EnvoyConfig read(Function<Problems, List<Node>> documents, boolean mergesDomains) {
    Problems problems = new Problems();
    EnvoyConfigReader reader = new EnvoyConfigReader(problems, mergesDomains);
    documents.apply(problems).forEach(reader::add);
    return finish(reader, problems);
  }

  private static void add(@Nullable Node document, EnvoyConfigReader reader) {
    if (document != null) {
      reader.add(document);
    }
  }

  private static EnvoyConfig finish(EnvoyConfigReader reader, Problems problems) {
    problems.throwIfErrors();
    return reader.finish();
  }

  private static List<Path> files(Path root, Problems problems) {
    try {
      if (Files.isDirectory(root)) {
        for (Path other : PolicyFiles.otherFilesUnder(root)) {
          problems.warning(
              Location.of(other.toString()),
              "",
              "is not read; configurations have names that end in .yaml, .yml or .json");
        }
      }
      return PolicyFiles.deepUnder(root);
    } catch (IOException e) {
      problems.error(Location.of(root.toString()), "", "can't be read: " + e.getMessage());
      return List.of();
    }
  }
}
