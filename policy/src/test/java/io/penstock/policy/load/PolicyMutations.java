package io.penstock.policy.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/** Policies with parts added, removed, replaced or renamed, mostly with plausible values. */
final class PolicyMutations {
  private static final List<String> NAMES = names();
  private static final List<JsonNode> VALUES = values();

  private final Random random;

  PolicyMutations(Random random) {
    this.random = random;
  }

  /** Returns a policy of rules and sections that are each valid by themselves. */
  ObjectNode policy() {
    ObjectNode policy = copy(any(SchemaCorpus.POLICIES));
    if (random.nextInt(4) > 0) {
      ArrayNode rules = (ArrayNode) policy.get("rules");
      for (int i = random.nextInt(3); i >= 0; i--) {
        ObjectNode rule = copy(SchemaCorpus.policyOf(any(SchemaCorpus.RULES)));
        rule.remove("$schema");
        rules.add(rule.put("name", "r" + i).put("group", "g" + i));
      }
      return policy;
    }
    return copy(SchemaCorpus.policyOf(any(SchemaCorpus.RULES)));
  }

  /** Changes a policy in one place. */
  void mutate(ObjectNode policy) {
    List<JsonNode> containers = new ArrayList<>();
    collect(policy, containers);
    JsonNode container = any(containers);
    if (container instanceof ObjectNode fields) {
      mutateFields(fields);
    } else if (container instanceof ArrayNode items) {
      mutateItems(items);
    }
  }

  private void mutateFields(ObjectNode fields) {
    List<String> present = new ArrayList<>();
    fields.fieldNames().forEachRemaining(present::add);
    int choice = random.nextInt(4);
    if (present.isEmpty() || choice == 0) {
      fields.set(any(NAMES), value());
      return;
    }
    String name = any(present);
    switch (choice) {
      case 1 -> fields.remove(name);
      case 2 -> fields.set(name, value());
      default -> fields.set(any(NAMES), fields.remove(name));
    }
  }

  private void mutateItems(ArrayNode items) {
    if (items.isEmpty() || random.nextBoolean()) {
      items.add(value());
    } else if (random.nextBoolean()) {
      items.remove(random.nextInt(items.size()));
    } else {
      items.set(random.nextInt(items.size()), value());
    }
  }

  private JsonNode value() {
    return any(VALUES).deepCopy();
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private static void collect(JsonNode node, List<JsonNode> containers) {
    if (node.isContainerNode()) {
      containers.add(node);
      node.forEach(child -> collect(child, containers));
    }
  }

  private static ObjectNode copy(String yaml) {
    return (ObjectNode) Schema.json(Schema.document(yaml, "p.yaml"));
  }

  /** The names of all fields, and some unknown names. */
  private static List<String> names() {
    TreeSet<String> names =
        new TreeSet<>(List.of("x", "bursts", "", "ip:port", "a|b", "a|path", "header:h", " path "));
    Schema.TREE
        .findValues("properties")
        .forEach(fields -> fields.fieldNames().forEachRemaining(names::add));
    return List.copyOf(names);
  }

  /** The values of all fields of valid and invalid policies. */
  private static List<JsonNode> values() {
    List<JsonNode> values = new ArrayList<>();
    for (String yaml : SchemaCorpus.POLICIES) {
      addValues(copy(yaml), values);
    }
    for (List<String> rules : List.of(SchemaCorpus.RULES, SchemaCorpus.BAD_RULES)) {
      rules.forEach(rule -> addValues(copy(SchemaCorpus.policyOf(rule)), values));
    }
    return values;
  }

  private static void addValues(JsonNode node, List<JsonNode> values) {
    node.forEach(
        child -> {
          values.add(child);
          addValues(child, values);
        });
  }
}
