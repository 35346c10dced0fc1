package io.penstock.cli.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/** Reads the files of {@code deploy/}. */
final class DeployFile {
  private static final Path FOLDER = Path.of("..", "deploy");

  private DeployFile() {}

  static Path path(String name) {
    return FOLDER.resolve(name);
  }

  static String text(String name) {
    try {
      return Files.readString(path(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the documents of a YAML file. */
  static List<Tree> yaml(String name) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    List<Tree> documents = new ArrayList<>();
    new Yaml(options).loadAll(text(name)).forEach(document -> documents.add(new Tree(document)));
    return documents;
  }

  /** Returns the elements of a JSON array. */
  static List<String> list(String json) {
    return new Tree(new Yaml().load(json)).texts();
  }
}
