package io.penstock.server.database;

import com.fasterxml.jackson.core.JsonGenerator;
import io.penstock.policy.load.Node;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a rule. Immutable.
 *
 * @param before null if it is new
 * @param after null if it goes
 */
public record RuleChange(@Nullable StoredRule before, @Nullable StoredRule after) {
  /** In a word: create, update, delete or none. */
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
    return before != null && after != null && before.row().content().equals(after.row().content());
  }

  /** The rule's name, or the one it had. */
  public String name() {
    StoredRule rule = after == null ? before : after;
    return rule == null ? "" : rule.name();
  }

  /** Writes both, and the fields that differ. */
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

  /** The fields of the rule that differ. */
  public Set<String> fields() {
    Set<String> fields = new LinkedHashSet<>();
    if (before == null || after == null) {
      return fields;
    }
    Node.Mapping was = before.document();
    Node.Mapping is = after.document();
    Set<String> names = new LinkedHashSet<>(was.entries().keySet());
    names.addAll(is.entries().keySet());
    for (String name : names) {
      if (!text(was, name).equals(text(is, name))) {
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
