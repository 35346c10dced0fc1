package io.penstock.server.log;

import java.util.Locale;
import java.util.Optional;

/** How a line of the access log looks. */
public enum AccessFormat {
  /** The common log format, and what was decided behind it. */
  COMMON {
    @Override
    void append(AccessEntry entry, StringBuilder line) {
      AccessText.appendCommon(entry, line);
      AccessText.appendDecision(entry, line);
    }
  },
  /** With referrer and user agent. */
  COMBINED {
    @Override
    void append(AccessEntry entry, StringBuilder line) {
      AccessText.appendCommon(entry, line);
      AccessText.appendClient(entry, line);
      AccessText.appendDecision(entry, line);
    }
  },
  /** An object a line, with everything. */
  JSON {
    @Override
    void append(AccessEntry entry, StringBuilder line) {
      AccessJson.append(entry, line);
    }
  };

  /** The form of a name; empty for {@code off}. */
  public static Optional<AccessFormat> parse(String name) {
    return name.equals("off")
        ? Optional.empty()
        : Optional.of(valueOf(name.toUpperCase(Locale.ROOT)));
  }

  /** Appends a line without its end. Whatever a client sent, it stays one line of plain ASCII. */
  abstract void append(AccessEntry entry, StringBuilder line);
}
