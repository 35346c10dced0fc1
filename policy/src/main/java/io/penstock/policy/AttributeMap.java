package io.penstock.policy;

import io.penstock.policy.Attribute.AttributeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The bare names that a policy declares, each with the sources that supply it where the caller
 * doesn't. Immutable.
 *
 * @param sources the attributes to use if the caller supplies no value, in order; empty if only the
 *     caller supplies the attribute
 */
public record AttributeMap(Map<String, List<Attribute>> sources) {
  /** Declares a name that only the caller supplies. */
  public static final String CALLER = "caller";

  /** Declares nothing. */
  public static final AttributeMap NONE = new AttributeMap(Map.of());

  private static final Set<AttributeSource> MAPPABLE =
      Set.of(
          AttributeSource.HEADER,
          AttributeSource.QUERY,
          AttributeSource.COOKIE,
          AttributeSource.CLAIM);

  public AttributeMap {
    Map<String, List<Attribute>> copy = new LinkedHashMap<>();
    sources.forEach((name, each) -> copy.put(checked(name), checked(each)));
    sources = Collections.unmodifiableMap(copy);
  }

  private static String checked(String name) {
    if (Attribute.parse(name).source() != AttributeSource.STATED) {
      throw new IllegalArgumentException("must be a bare name, not a built-in one: " + name);
    }
    return name;
  }

  private static List<Attribute> checked(List<Attribute> each) {
    for (Attribute attribute : each) {
      if (!MAPPABLE.contains(attribute.source())) {
        throw new IllegalArgumentException(
            "must be "
                + CALLER
                + ", or one or more of header:…, query:…, cookie:… and jwt:…, separated by |: "
                + attribute);
      }
    }
    return List.copyOf(each);
  }

  /** Returns whether the policy declares a bare name. */
  public boolean declares(String name) {
    return sources.containsKey(name);
  }

  /** Returns whether the bare name has a source other than the caller. */
  public boolean maps(String name) {
    return !sources.getOrDefault(name, List.of()).isEmpty();
  }

  /**
   * Returns the part with the sources of each bare name after the name itself: {@code user_id}
   * becomes {@code user_id|jwt:sub}. Expanding a part again doesn't change it.
   */
  KeyPart expand(KeyPart part) {
    if (sources.isEmpty() || !part.isStated()) {
      return part;
    }
    Set<Attribute> expanded = new LinkedHashSet<>();
    for (Attribute attribute : part.alternatives()) {
      expanded.add(attribute);
      if (attribute.source() == AttributeSource.STATED) {
        expanded.addAll(sources.getOrDefault(attribute.name(), List.of()));
      }
    }
    return new KeyPart(new ArrayList<>(expanded));
  }
}
