package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import io.penstock.policy.AttributeMap;
import io.penstock.policy.KeyPart;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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
        fields.error(name, e.getMessage() + hint(sources));
      }
    }
    return new AttributeMap(declared);
  }

  /** Suggests a source for a bare name such as {@code x-user} or {@code jwt.plan}. */
  private static String hint(@Nullable List<Attribute> sources) {
    return sources == null
        ? ""
        : sources.stream()
            .map(source -> BuiltInNames.near(source.toString()))
            .filter(builtIn -> builtIn != null && BuiltInNames.isNamedSource(builtIn))
            .findFirst()
            .map(builtIn -> "; did you mean " + builtIn + "?")
            .orElse("");
  }

  private static List<Attribute> sources(String text) {
    return text.equals(AttributeMap.CALLER) ? List.of() : KeyPart.parse(text).alternatives();
  }
}
