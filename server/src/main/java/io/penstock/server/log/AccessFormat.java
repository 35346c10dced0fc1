package io.penstock.server.log;

import java.util.Locale;
import java.util.Optional;

/** The formats of the access log. */
public enum AccessFormat {
  /** The common log format, followed by the decision. */
  COMMON {
    @Override
    void append(AccessEntry entry, StringBuilder line) {
      AccessText.appendCommon(entry, line);
      AccessText.appendDecision(entry, line);
    }
  },
  /** The combined log format, with referrer and user agent, followed by the decision. */
  COMBINED {
    @Override
    void append(AccessEntry entry, StringBuilder line) {
      AccessText.appendCommon(entry, line);
      AccessText.appendClient(entry, line);
      AccessText.appendDecision(entry, line);
    }
  },
  /** One JSON object per line, with all fields. */
  JSON {
    @Override
    void append(AccessEntry entry, StringBuilder line) {
      AccessJson.append(entry, line);
    }
  };

  /** Returns the format with a name; empty for {@code off}. */
  public static Optional<AccessFormat> parse(String name) {
    return name.equals("off")
        ? Optional.empty()
        : Optional.of(valueOf(name.toUpperCase(Locale.ROOT)));
  }

  /**
   * Appends an entry without a line terminator. The result is one line of ASCII, whatever a client
   * sent.
   */
  abstract void append(AccessEntry entry, StringBuilder line);
}
