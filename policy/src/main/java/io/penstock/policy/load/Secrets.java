package io.penstock.policy.load;

import org.jspecify.annotations.Nullable;

/** Reads secrets from the policy or from separate files. Never quotes them. */
final class Secrets {
  private Secrets() {}

  /** Returns the secret in {@code name}, or in the file that {@code name_file} refers to. */
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

  /** Removes the line ending that editors add at the end of a file. */
  private static @Nullable String withoutLineEnd(@Nullable String text) {
    return text == null ? null : text.replaceFirst("\\R\\z", "");
  }
}
