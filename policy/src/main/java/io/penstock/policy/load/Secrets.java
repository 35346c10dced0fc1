package io.penstock.policy.load;

import org.jspecify.annotations.Nullable;

/** Reads secrets, which stand in the policy or in a file of their own. Never quotes them. */
final class Secrets {
  private Secrets() {}

  /** The secret in {@code name}, or in the file that {@code name_file} names. */
  static @Nullable String read(Fields fields, String name, DocumentSource origin) {
    String file = name + "_file";
    boolean isInFile = fields.has(file);
    String secret = isInFile ? withoutLineEnd(origin.content(fields, file)) : fields.text(name);
    if (secret != null && secret.isEmpty()) {
      fields.error(isInFile ? file : name, "must not be empty");
      return null;
    }
    return secret;
  }

  /** Editors end a file with a line end that is no part of the secret. */
  private static @Nullable String withoutLineEnd(@Nullable String text) {
    return text == null ? null : text.replaceFirst("\\R\\z", "");
  }
}
