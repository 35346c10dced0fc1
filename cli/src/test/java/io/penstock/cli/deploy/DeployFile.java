package io.penstock.cli.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;

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
    List<Tree> documents = new ArrayList<>();
    load().loadAllFromString(text(name)).forEach(document -> documents.add(new Tree(document)));
    return documents;
  }

  /** Returns the elements of a JSON array. */
  static List<String> list(String json) {
    return new Tree(load().loadFromString(json)).texts();
  }

  /** The core schema resolves merge keys, which the Compose file uses. */
  private static Load load() {
    return new Load(LoadSettings.builder().setSchema(new CoreSchema()).build());
  }
}
