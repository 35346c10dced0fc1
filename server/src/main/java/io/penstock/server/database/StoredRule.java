package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Location;
import io.penstock.policy.load.Node;
import io.penstock.policy.load.Problems;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;

/**
 * A rule in the database: a row of {@code rate_limit_rule}. Immutable.
 *
 * @param version differs after each change
 */
public record StoredRule(long id, long version, Instant updatedAt, RuleContent content) {
  /** The order in which rules become tiers. */
  static final Comparator<StoredRule> ORDER =
      Comparator.comparingInt(StoredRule::tierOrder)
          .thenComparing(row -> row.content().get(RuleColumn.PLAN) == null)
          .thenComparingLong(StoredRule::id);

  public String name() {
    return content.name();
  }

  public boolean isActive() {
    return content.isActive();
  }

  public int tierOrder() {
    return content.tierOrder();
  }

  /** Returns the location of the row in error messages. */
  Location location() {
    return Location.of("rate_limit_rule " + id);
  }

  /** Returns the rule as in a policy file, in a canonical form. */
  public Node.Mapping document() {
    return RuleDocument.of(content.canonical(), location(), new Problems());
  }

  /**
   * Returns whether {@code other} has the same meaning, even if it is stored in other columns. A
   * row that isn't a valid rule is the same only if all columns are.
   */
  boolean isSameAs(RuleContent other) {
    if (content.canonical().equals(other.canonical())) {
      return true;
    }
    Problems problems = new Problems();
    String ours = JsonColumns.text(RuleDocument.of(content.canonical(), location(), problems));
    return problems.errorCount() == 0
        && ours.equals(
            JsonColumns.text(RuleDocument.of(other.canonical(), location(), new Problems())))
        && tierOrder() == other.tierOrder()
        && isActive() == other.isActive();
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
    JsonColumns.write(document(), json);
    json.writeEndObject();
  }
}
