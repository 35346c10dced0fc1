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
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file with the rows of the active rules, for starting without the database. The file is replaced
 * atomically. Not thread-safe.
 */
final class RuleSnapshot {
  private static final int FORMAT = 1;

  private final Path file;

  RuleSnapshot(Path file) {
    this.file = file;
  }

  Path file() {
    return file;
  }

  void write(List<RuleRow> rows) throws IOException {
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
  Optional<List<RuleRow>> read() throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    RegularFile.check(file);
    Problems problems = new Problems();
    Node document = Document.parse(Files.readString(file, UTF_8), file + ".json", problems);
    List<RuleRow> rows = document == null ? List.of() : rows(document, problems);
    if (problems.errorCount() > 0) {
      throw new IOException("invalid: " + problems.errors().get(0));
    }
    return Optional.of(rows);
  }

  private static void write(List<RuleRow> rows, JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeNumberField("format", FORMAT);
    json.writeStringField("saved_at", Instant.now().toString());
    json.writeArrayFieldStart("rows");
    for (RuleRow row : rows) {
      json.writeRaw('\n');
      write(row, json);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(RuleRow row, JsonGenerator json) throws IOException {
    RuleContent content = row.content();
    json.writeStartObject();
    json.writeNumberField("rule_id", row.id());
    json.writeNumberField("version", row.version());
    json.writeStringField("updated_at", row.updatedAt().toString());
    json.writeStringField("name", content.name());
    text("description", content.description(), json);
    json.writeStringField("key_pattern", content.keyPattern());
    json.writeStringField("scope", content.scope());
    text("plan", content.plan(), json);
    textUnlessDefault(JsonColumns.EMPTY, "match", content.match(), json);
    number("rate_per_second", content.ratePerSecond(), json);
    text("rate", content.rate(), json);
    number("burst_capacity", content.burstCapacity(), json);
    text("cost_source", content.costs().source(), json);
    number("fixed_cost", content.costs().fixed(), json);
    number("default_cost", content.costs().defaultCost(), json);
    textUnlessDefault("enforce", "mode", content.mode(), json);
    textUnlessDefault("open", "on_store_failure", content.onStoreFailure(), json);
    json.writeNumberField("tier_order", content.tier().order());
    text("tier_group", content.tier().group(), json);
    textUnlessDefault(JsonColumns.EMPTY, "options", content.options(), json);
    json.writeEndObject();
  }

  private static void text(String name, @Nullable String value, JsonGenerator json)
      throws IOException {
    if (value != null) {
      json.writeStringField(name, value);
    }
  }

  private static void textUnlessDefault(
      String defaultValue, String name, String value, JsonGenerator json) throws IOException {
    if (!value.equals(defaultValue)) {
      json.writeStringField(name, value);
    }
  }

  private static void number(String name, @Nullable BigDecimal value, JsonGenerator json)
      throws IOException {
    if (value != null) {
      json.writeNumberField(name, value);
    }
  }

  private static List<RuleRow> rows(Node document, Problems problems) {
    Fields fields = Fields.of(new Located<>(document, document.at(), ""), problems);
    if (fields == null) {
      return List.of();
    }
    fields.whole("format", FORMAT, FORMAT, FORMAT);
    List<RuleRow> rows = new ArrayList<>();
    List<Located<Node>> items = fields.list("rows");
    for (Located<Node> item : items == null ? List.<Located<Node>>of() : items) {
      Fields row = Fields.of(item, problems);
      if (row != null) {
        rows.add(row(row));
      }
    }
    return rows;
  }

  private static RuleRow row(Fields row) {
    return new RuleRow(
        whole(row, "rule_id"),
        whole(row, "version"),
        Instant.parse(required(row, "updated_at")),
        new RuleContent(
            required(row, "name"),
            row.text("description"),
            required(row, "key_pattern"),
            required(row, "scope"),
            row.text("plan"),
            textOrDefault(row, "match", JsonColumns.EMPTY),
            row.number("rate_per_second"),
            row.text("rate"),
            row.number("burst_capacity"),
            new RuleContent.Costs(
                row.text("cost_source"), row.number("fixed_cost"), row.number("default_cost")),
            textOrDefault(row, "mode", "enforce"),
            textOrDefault(row, "on_store_failure", "open"),
            new RuleContent.TierColumns((int) whole(row, "tier_order"), row.text("tier_group")),
            textOrDefault(row, "options", JsonColumns.EMPTY),
            true));
  }

  private static String required(Fields row, String name) {
    row.require(name);
    String text = row.text(name);
    return text == null ? "" : text;
  }

  private static String textOrDefault(Fields row, String name, String defaultValue) {
    String text = row.text(name);
    return text == null ? defaultValue : text;
  }

  private static long whole(Fields row, String name) {
    row.require(name);
    Long number = row.number(name, BigDecimal::longValueExact);
    return number == null ? 0 : number;
  }
}
