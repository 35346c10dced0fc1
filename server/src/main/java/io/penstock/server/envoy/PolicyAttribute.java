package io.penstock.server.envoy;

import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The attribute of a policy for the key of a descriptor.
 *
 * @param source what the attribute is mapped to; null for a built-in one
 */
record PolicyAttribute(String name, @Nullable String source) {
  private static final Pattern NAME = Pattern.compile("[!-~&&[^|,\":]]{1,64}");
  private static final Map<String, PolicyAttribute> BUILT_IN =
      Map.of(
          "remote_address", new PolicyAttribute("ip:address", null),
          "masked_remote_address", new PolicyAttribute("ip:address", null),
          "path", new PolicyAttribute("path", null),
          "method", new PolicyAttribute("method", null),
          "host", new PolicyAttribute("host", null));

  static PolicyAttribute of(String key) {
    return BUILT_IN.getOrDefault(key, new PolicyAttribute(key, "caller"));
  }

  /** Returns why a rule can't express a descriptor; null if it can. */
  @Nullable String obstacle(DescriptorNode node) {
    if (source != null && !NAME.matcher(name).matches()) {
      return "an attribute can't have this name: " + name;
    }
    if (Wildcard.isWildcard(node.key())) {
      return "a key with a wildcard: " + node.key();
    }
    if (!Wildcard.isWildcard(node.value())) {
      return null;
    }
    if (!name.equals("path") && !name.equals("host")) {
      return "values of this attribute are compared literally: " + node.value();
    }
    return name.equals("path") && !node.value().startsWith("/") && !node.value().startsWith("*")
        ? "a path that doesn't begin with /: " + node.value()
        : null;
  }
}
