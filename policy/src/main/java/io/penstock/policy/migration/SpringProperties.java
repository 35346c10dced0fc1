package io.penstock.policy.migration;

import io.penstock.policy.load.Document;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The properties of a Spring application from {@code .properties} and YAML files, with relaxed
 * names: {@code rateLimits[0]} is {@code rate-limits[0]}. Remembers which ones were read. Not
 * thread-safe.
 */
final class SpringProperties {
  private final Map<String, Located<String>> values = new LinkedHashMap<>();
  private final Set<String> read = new LinkedHashSet<>();

  /** Adds the properties of a file; errors are added to {@code problems}. */
  void add(Path file, Problems problems) {
    String name = file.toString();
    try {
      String text = Files.readString(file);
      if (name.toLowerCase(Locale.ROOT).endsWith(".properties")) {
        addLines(text, name);
      } else {
        addDocuments(text, name, problems);
      }
    } catch (NoSuchFileException missing) {
      problems.error(Location.of(name), "", "no such file");
    } catch (IOException e) {
      problems.error(Location.of(name), "", "can't be read: " + e.getMessage());
    } catch (IllegalArgumentException malformed) {
      problems.error(Location.of(name), "", String.valueOf(malformed.getMessage()));
    }
  }

  /** A line that ends in a backslash continues on the next one. */
  private void addLines(String text, String file) throws IOException {
    List<String> lines = text.lines().toList();
    for (int i = 0; i < lines.size(); i++) {
      int start = i;
      StringBuilder whole = new StringBuilder(lines.get(i));
      while (endsInBackslash(whole) && i + 1 < lines.size()) {
        i++;
        whole.append('\n').append(lines.get(i));
      }
      Properties line = new Properties();
      line.load(new StringReader(whole.toString()));
      Location at = new Location(file, start + 1, 1);
      line.forEach((name, value) -> put(String.valueOf(name), String.valueOf(value), at));
    }
  }

  private static boolean endsInBackslash(CharSequence line) {
    String stripped = line.toString().stripLeading();
    if (stripped.startsWith("#") || stripped.startsWith("!")) {
      return false;
    }
    int count = 0;
    while (count < line.length() && line.charAt(line.length() - 1 - count) == '\\') {
      count++;
    }
    return count % 2 == 1;
  }

  /** Reads the documents of a file one by one, each on the lines that it has in the file. */
  private void addDocuments(String text, String file, Problems problems) {
    StringBuilder document = new StringBuilder();
    int before = 0;
    List<String> lines = text.lines().toList();
    for (int i = 0; i <= lines.size(); i++) {
      boolean ends = i == lines.size() || lines.get(i).stripTrailing().equals("---");
      if (!ends) {
        document.append(lines.get(i)).append('\n');
        continue;
      }
      if (!document.toString().isBlank()) {
        Node root = Document.parse("\n".repeat(before) + document, file, problems);
        if (root != null) {
          flatten("", root);
        }
      }
      document.setLength(0);
      before = i + 1;
    }
  }

  private void flatten(String path, Node node) {
    if (node instanceof Node.Mapping mapping) {
      mapping
          .entries()
          .forEach(
              (name, field) -> flatten(path.isEmpty() ? name : path + "." + name, field.value()));
    } else if (node instanceof Node.Sequence sequence) {
      for (int i = 0; i < sequence.items().size(); i++) {
        flatten(path + "[" + i + "]", sequence.items().get(i));
      }
    } else if (node instanceof Node.Scalar scalar && !scalar.isNull()) {
      put(path, scalar.text(), scalar.at());
    }
  }

  private void put(String name, String value, Location at) {
    values.put(relaxed(name), new Located<>(value.strip(), at, name));
  }

  /** Spring compares names without dashes and case. */
  private static String relaxed(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  @Nullable String text(String name) {
    Located<String> value = values.get(relaxed(name));
    read.add(relaxed(name));
    return value == null || value.value().isEmpty() ? null : value.value();
  }

  String text(String name, String otherwise) {
    String value = text(name);
    return value == null ? otherwise : value;
  }

  /** Returns the texts of a list, whether its items or a text with commas. */
  List<String> texts(String name) {
    String joined = text(name);
    if (joined != null) {
      return List.of(joined);
    }
    List<String> items = new ArrayList<>();
    for (int i = 0; ; i++) {
      String item = text(name + "[" + i + "]");
      // The starter's predicates may also be mappings with a name.
      item = item == null ? text(name + "[" + i + "].name") : item;
      if (item == null) {
        return items;
      }
      items.add(item);
    }
  }

  /** Returns whether there is any property below a name. */
  boolean hasBelow(String name) {
    String prefix = relaxed(name) + ".";
    return values.keySet().stream().anyMatch(key -> key.startsWith(prefix));
  }

  /** Returns where a name is first used. */
  Location at(String name) {
    String prefix = relaxed(name);
    return values.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix))
        .map(entry -> entry.getValue().at())
        .findFirst()
        .orElse(Location.of("application"));
  }

  /** Marks all properties below a name as read. */
  void markRead(String name) {
    String prefix = relaxed(name);
    values.keySet().stream().filter(key -> key.startsWith(prefix)).forEach(read::add);
  }

  /** Returns the properties below a name that were not read, as they are written. */
  List<Located<String>> unread(String name) {
    String prefix = relaxed(name) + ".";
    return values.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(prefix) && !read.contains(entry.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }
}
