package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.time.Instant;

/** A rule in the database, as the admin API and the command line show it. Immutable. */
public final class StoredRule {
  private final RuleRow row;

  StoredRule(RuleRow row) {
    this.row = row;
  }

  RuleRow row() {
    return row;
  }

  public long id() {
    return row.id();
  }

  public long version() {
    return row.version();
  }

  public String name() {
    return row.content().name();
  }

  public boolean isActive() {
    return row.content().active();
  }

  public int tierOrder() {
    return row.content().tier().order();
  }

  public Instant updatedAt() {
    return row.updatedAt();
  }

  /** Returns the rule as in a policy file. */
  public Node.Mapping document() {
    return RuleDocument.of(row.content(), Location.of(row.place()), new Problems());
  }

  /** Writes the rule as in a policy file. */
  public void writeDocument(JsonGenerator json) throws IOException {
    JsonColumns.write(document(), json);
  }

  /** Writes the rule with the metadata of its row. */
  public void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeNumberField("id", id());
    json.writeStringField("name", name());
    json.writeNumberField("version", version());
    json.writeBooleanField("active", isActive());
    json.writeNumberField("tier_order", tierOrder());
    json.writeStringField("updated_at", updatedAt().toString());
    json.writeFieldName("rule");
    writeDocument(json);
    json.writeEndObject();
  }
}
