package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Node;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of a rule. Immutable.
 *
 * @param before null for a new rule
 * @param after null for a deleted rule
 */
public record RuleChange(@Nullable StoredRule before, @Nullable StoredRule after) {
  /** Returns the action: create, update, delete or none. */
  public String action() {
    if (before == null) {
      return "create";
    }
    if (after == null) {
      return "delete";
    }
    return isNone() ? "none" : "update";
  }

  public boolean isNone() {
    return before != null && after != null && before.isSameAs(after.content());
  }

  /** Returns the name of the rule; the former name if it was deleted. */
  public String name() {
    StoredRule rule = after == null ? before : after;
    return rule == null ? "" : rule.name();
  }

  /** Writes both versions and the names of the changed fields. */
  public void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    json.writeStringField("name", name());
    json.writeStringField("action", action());
    write("before", before, json);
    write("after", after, json);
    json.writeArrayFieldStart("fields");
    for (String field : fields()) {
      json.writeString(field);
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  /** Returns the names of the changed fields. */
  public Set<String> fields() {
    return before == null || after == null ? Set.of() : fields(before, after);
  }

  private static Set<String> fields(StoredRule before, StoredRule after) {
    Set<String> fields = new LinkedHashSet<>();
    Node.Mapping old = before.document();
    Node.Mapping updated = after.document();
    Set<String> names = new LinkedHashSet<>(old.entries().keySet());
    names.addAll(updated.entries().keySet());
    for (String name : names) {
      if (!text(old, name).equals(text(updated, name))) {
        fields.add(name);
      }
    }
    if (before.tierOrder() != after.tierOrder()) {
      fields.add("tier_order");
    }
    if (before.isActive() != after.isActive()) {
      fields.add("active");
    }
    return fields;
  }

  private static String text(Node.Mapping rule, String name) {
    Node.NodeField entry = rule.entries().get(name);
    return entry == null ? "" : JsonColumns.text(entry.value());
  }

  private static void write(String name, @Nullable StoredRule rule, JsonGenerator json)
      throws IOException {
    json.writeFieldName(name);
    if (rule == null) {
      json.writeNull();
    } else {
      rule.write(json);
    }
  }
}
