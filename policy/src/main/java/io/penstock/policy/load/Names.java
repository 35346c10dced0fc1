package io.penstock.policy.load;

/** Checks the names of rules and groups, which are used in keys, headers and metrics. */
final class Names {
  private static final int MAX_LENGTH = 100;

  private Names() {}

  static String checked(String name) {
    if (name.isEmpty() || name.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("must have 1 to " + MAX_LENGTH + " characters: " + name);
    }
    if (name.startsWith("/")) {
      throw new IllegalArgumentException("must not begin with a slash: " + name);
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c < ' ' || c >= 0x7f || c == '"' || c == '\\') {
        throw new IllegalArgumentException("must be printable ASCII without \" and \\: " + name);
      }
    }
    return name;
  }
}
