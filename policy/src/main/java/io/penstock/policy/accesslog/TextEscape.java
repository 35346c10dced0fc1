package io.penstock.policy.accesslog;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** How a format escapes special characters in a value. */
enum TextEscape {
  NONE {
    @Override
    int decode(byte[] text, int at, int to, ByteArrayOutputStream into) {
      into.write(text[at]);
      return at + 1;
    }
  },
  /** {@code \"}, {@code \\} and {@code \x1B}, as in common log format. */
  BACKSLASH {
    @Override
    int decode(byte[] text, int at, int to, ByteArrayOutputStream into) {
      if (text[at] != '\\' || at + 1 == to) {
        return NONE.decode(text, at, to, into);
      }
      int code = text[at + 1] == 'x' && at + 3 < to ? hex(text, at + 2, at + 4) : -1;
      into.write(code >= 0 ? code : text[at + 1]);
      return code >= 0 ? at + 4 : at + 2;
    }
  },
  /** The escapes of JSON. */
  JSON {
    @Override
    int decode(byte[] text, int at, int to, ByteArrayOutputStream into) {
      if (text[at] != '\\' || at + 1 == to) {
        return NONE.decode(text, at, to, into);
      }
      if (text[at + 1] == 'u' && at + 5 < to) {
        return decodeUnicode(text, at, to, into);
      }
      into.write(
          switch (text[at + 1]) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'b' -> '\b';
            case 'f' -> '\f';
            default -> text[at + 1];
          });
      return at + 2;
    }
  },
  /** {@code ""} for a quote, as in CSV. */
  DOUBLED_QUOTE {
    @Override
    int decode(byte[] text, int at, int to, ByteArrayOutputStream into) {
      into.write(text[at]);
      return at + (text[at] == '"' && at + 1 < to && text[at + 1] == '"' ? 2 : 1);
    }
  },
  /** {@code %20}, as in logs of CloudFront, which escape some characters twice. */
  PERCENT {
    @Override
    int decode(byte[] text, int at, int to, ByteArrayOutputStream into) {
      int next = at;
      int code = text[at];
      for (int i = 0; i < 2 && code == '%' && next + 2 < to; i++) {
        int decoded = hex(text, next + 1, next + 3);
        if (decoded < 0) {
          break;
        }
        next += 2;
        code = decoded;
      }
      into.write(code);
      return next + 1;
    }
  };

  private static final int HEX_DIGITS = 4;

  /** Decodes the character at a position and returns the position after it. */
  abstract int decode(byte[] text, int at, int to, ByteArrayOutputStream into);

  byte[] decode(byte[] text, int from, int to) {
    ByteArrayOutputStream decoded = new ByteArrayOutputStream(to - from);
    for (int at = from; at < to; ) {
      at = decode(text, at, to, decoded);
    }
    return decoded.toByteArray();
  }

  private static int decodeUnicode(byte[] text, int at, int to, ByteArrayOutputStream into) {
    StringBuilder characters = new StringBuilder();
    int next = at;
    while (next + HEX_DIGITS + 1 < to && text[next] == '\\' && text[next + 1] == 'u') {
      int code = hex(text, next + 2, next + 2 + HEX_DIGITS);
      if (code < 0) {
        break;
      }
      characters.append((char) code);
      next += 2 + HEX_DIGITS;
    }
    into.writeBytes(characters.toString().getBytes(StandardCharsets.UTF_8));
    return next == at ? at + 1 : next;
  }

  private static int hex(byte[] text, int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = text[i] < 0 ? -1 : Character.digit(text[i], 16);
      if (digit < 0) {
        return -1;
      }
      value = value << 4 | digit;
    }
    return value;
  }
}
