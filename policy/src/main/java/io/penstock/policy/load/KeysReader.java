package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads the keys of a rule, which select a bucket. */
final class KeysReader {
  private static final int MAX_KEYS = 8;
  private static final String NAME = "limit_keys";

  private KeysReader() {}

  static List<KeyPart> read(Fields rule) {
    List<KeyPart> keys = new ArrayList<>();
    if (rule.node(NAME) instanceof Node.Scalar scalar && scalar.kind() == Node.NodeKind.TEXT) {
      rule.error(NAME, "must be a list; put it in brackets: [\"" + scalar.text() + "\"]");
      return keys;
    }
    List<Located<Node>> items = rule.list(NAME);
    if (items == null) {
      return keys;
    }
    if (items.size() > MAX_KEYS) {
      rule.error(NAME, "must have at most " + MAX_KEYS + " keys: " + items.size());
    }
    Set<Attribute> named = new HashSet<>();
    for (Located<Node> item : items) {
      String text = rule.text(item);
      try {
        if (text != null) {
          keys.add(checked(KeyPart.parse(text), named));
        }
      } catch (IllegalArgumentException e) {
        rule.problems().error(item.at(), item.path(), e.getMessage() + BuiltInNames.hint(text));
      }
    }
    return keys;
  }

  private static KeyPart checked(KeyPart part, Set<Attribute> named) {
    for (Attribute attribute : part.alternatives()) {
      if (!named.add(attribute)) {
        throw new IllegalArgumentException("must not repeat an attribute: " + attribute);
      }
    }
    return part;
  }
}
