package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.AttributeMap;
import io.penstock.policy.KeyPart;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the {@code attributes} section, which declares bare names and maps them to sources. */
final class AttributesReader {
  private AttributesReader() {}

  /** Returns the declared names; those with errors have no sources. */
  static AttributeMap read(Fields fields) {
    Map<String, List<Attribute>> declared = new LinkedHashMap<>();
    for (String name : fields.names()) {
      List<Attribute> sources = fields.text(name, AttributesReader::sources);
      try {
        declared.putAll(
            new AttributeMap(Map.of(name, sources == null ? List.of() : sources)).sources());
      } catch (IllegalArgumentException e) {
        fields.invalid(name, e);
      }
    }
    return new AttributeMap(declared);
  }

  private static List<Attribute> sources(String text) {
    return text.equals(AttributeMap.CALLER) ? List.of() : KeyPart.parse(text).alternatives();
  }
}
