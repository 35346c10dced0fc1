package io.penstock.server.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.file.RegularFile;
import io.penstock.policy.http.Json;
import io.penstock.policy.load.Document;
import io.penstock.policy.load.Fields;
import io.penstock.policy.load.Located;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A file with the rows of the active rules, for starting without the database. The file is replaced
 * atomically. Not thread-safe.
 */
final class RuleSnapshot {
  private static final int FORMAT = 1;
  private static final Set<RuleColumn> REQUIRED =
      EnumSet.of(RuleColumn.NAME, RuleColumn.KEY_PATTERN, RuleColumn.SCOPE, RuleColumn.TIER_ORDER);

  private final Path file;

  RuleSnapshot(Path file) {
    this.file = file;
  }

  Path file() {
    return file;
  }

  void write(List<StoredRule> rows) throws IOException {
    byte[] bytes = Json.bytes(json -> write(rows, json));
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.write(next, bytes);
    try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Returns the rows of the file; empty if there is no file. */
  Optional<List<StoredRule>> read() throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    RegularFile.check(file);
    Problems problems = new Problems();
    Node document = Document.parse(Files.readString(file, UTF_8), file + ".json", problems);
    List<StoredRule> rows = document == null ? List.of() : rows(document, problems);
    if (problems.errorCount() > 0) {
      throw new IOException("invalid: " + problems.errors().get(0));
    }
    return Optional.of(rows);
  }

  private static void write(List<StoredRule> rows, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeNumberField("format", FORMAT);
    json.writeStringField("saved_at", Instant.now().toString());
    json.writeArrayFieldStart("rows");
    for (StoredRule row : rows) {
      json.writeRaw('\n');
      write(row, json);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(StoredRule row, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeNumberField("rule_id", row.id());
    json.writeNumberField("version", row.version());
    json.writeStringField("updated_at", row.updatedAt().toString());
    for (RuleColumn column : RuleColumn.values()) {
      Object value = row.content().get(column);
      if (value instanceof Integer whole) {
        json.writeNumberField(column.column(), whole);
      } else if (value instanceof BigDecimal number) {
        json.writeNumberField(column.column(), number);
      } else if (value instanceof String text && !text.equals(column.defaultValue())) {
        json.writeStringField(column.column(), text);
      }
    }
    json.writeEndObject();
  }

  private static List<StoredRule> rows(Node document, Problems problems) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null) {
      return List.of();
    }
    fields.whole("format", FORMAT, FORMAT, FORMAT);
    List<StoredRule> rows = new ArrayList<>();
    List<Located<Node>> items = fields.list("rows");
    for (Located<Node> item : items == null ? List.<Located<Node>>of() : items) {
      Fields row = Fields.of(item, problems);
      if (row != null) {
        rows.add(row(row));
      }
    }
    return rows;
  }

  private static StoredRule row(Fields row) {
    Map<RuleColumn, Object> values = new EnumMap<>(RuleColumn.class);
    REQUIRED.forEach(column -> row.require(column.column()));
    for (RuleColumn column : RuleColumn.values()) {
      Object value = row.has(column.column()) ? read(row, column) : column.defaultValue();
      if (value != null) {
        values.put(column, value);
      }
    }
    return new StoredRule(
        whole(row, "rule_id"),
        whole(row, "version"),
        Instant.parse(String.valueOf(row.text("updated_at"))),
        new RuleContent(values));
  }

  private static @Nullable Object read(Fields row, RuleColumn column) {
    return switch (column.type()) {
      case TEXT, JSON -> row.text(column.column());
      case NUMBER -> row.number(column.column());
      case WHOLE -> (int) whole(row, column.column());
      case FLAG -> row.flag(column.column());
    };
  }

  private static long whole(Fields row, String name) {
    row.require(name);
    Long number = row.number(name, BigDecimal::longValueExact);
    return number == null ? 0 : number;
  }
}
