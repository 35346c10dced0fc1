package io.penstock.cli.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/** Reads what is in {@code deploy/}. */
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

  /** The documents of a file in YAML. */
  static List<Tree> yaml(String name) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    List<Tree> documents = new ArrayList<>();
    new Yaml(options).loadAll(text(name)).forEach(document -> documents.add(new Tree(document)));
    return documents;
  }

  /** What stands between brackets in JSON. */
  static List<String> list(String json) {
    return new Tree(new Yaml().load(json)).texts();
  }
}
