package io.penstock.policy.load;

import io.penstock.policy.Attribute;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the built-in attribute that an author meant by another name. */
final class BuiltInNames {
  private static final List<String> ROUTE_ATTRIBUTES = List.of("method", "path", "host");
  private static final Set<String> NAMED_SOURCES = Set.of("header", "query", "cookie", "jwt");
  private static final Map<String, String> OTHER_NAMES = new HashMap<>();
  private static final Map<String, String> OTHER_PREFIXES = new HashMap<>();

  static {
    names(
        "ip:address",
        "ip ips ip_address ip_addr ipaddress client_ip clientip client_address client_addr"
            + " remote_addr remote_address remote_ip remoteip source_ip src_ip peer_ip user_ip"
            + " real_ip x_real_ip address addr ipv4 ipv6");
    names("method", "verb verbs http_method httpmethod request_method");
    names("path", "url urls uri uris request_uri request_path request_url url_path pathname");
    names("host", "hostname host_name server_name servername http_host vhost authority");
    names("header:x-api-key", "api_key apikey api_keys x_api_key");
    names("header:authorization", "authorization auth_header bearer bearer_token");
    names("header:user-agent", "user_agent useragent");
    names("jwt:sub", "sub jwt jwt_sub subject");
    names("header:<name>", "header headers");
    names("query:<name>", "query querystring query_string query_params");
    names("cookie:<name>", "cookie cookies");
    prefixes("header", "headers hdr http_header request_header http");
    prefixes("query", "queries param params parameter query_param arg args querystring q");
    prefixes("cookie", "cookies");
    prefixes("jwt", "claim claims token jwts jwt_claim");
  }

  private BuiltInNames() {}

  private static void names(String builtIn, String others) {
    for (String other : others.split(" ", -1)) {
      OTHER_NAMES.put(other, builtIn);
    }
  }

  private static void prefixes(String builtIn, String others) {
    for (String other : others.split(" ", -1)) {
      OTHER_PREFIXES.put(other, builtIn);
    }
  }

  /** Returns the built-in attribute that a bare name was probably meant to be; null if none. */
  static @Nullable String near(String bareName) {
    String name = bareName.toLowerCase(Locale.ROOT).replace('-', '_');
    String known = OTHER_NAMES.get(name);
    if (known != null) {
      return known;
    }
    if (bareName.regionMatches(true, 0, "x-", 0, 2)) {
      return "header:" + bareName.toLowerCase(Locale.ROOT);
    }
    int dot = bareName.indexOf('.');
    if (dot > 0 && NAMED_SOURCES.contains(bareName.substring(0, dot))) {
      return bareName.replaceFirst("\\.", ":");
    }
    return ROUTE_ATTRIBUTES.stream()
        .filter(attribute -> name.startsWith(attribute.substring(0, 1)))
        .filter(attribute -> Suggestions.distance(name, attribute) <= 1)
        .findFirst()
        .orElse(null);
  }

  /**
   * Returns {@code "; did you mean header:x-user?"} for an attribute with an unknown prefix, or ""
   * if nothing is close.
   */
  static String hint(String text) {
    int colon = text.indexOf(':');
    if (colon <= 0) {
      return "";
    }
    String prefix = text.substring(0, colon).strip().toLowerCase(Locale.ROOT).replace('-', '_');
    String name = text.substring(colon + 1).strip();
    String meant =
        "ip:address".equals(OTHER_NAMES.get(prefix))
            ? "ip:address"
            : OTHER_PREFIXES.getOrDefault(prefix, prefix) + ":" + name;
    return !meant.equals(text) && isBuiltIn(meant) ? "; did you mean " + meant + "?" : "";
  }

  /** Returns whether an attribute is that of a header, parameter, cookie or claim. */
  static boolean isNamedSource(String attribute) {
    return NAMED_SOURCES.contains(attribute.substring(0, Math.max(0, attribute.indexOf(':'))));
  }

  /** Returns whether a text is a valid built-in attribute. */
  static boolean isBuiltIn(String attribute) {
    try {
      return Attribute.parse(attribute).source() != Attribute.AttributeSource.STATED;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
