package io.penstock.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/** A Redis script and its SHA-1 hash. Immutable. */
final class Script {
  /** The files of the script; each uses definitions of those before it. */
  private static final List<String> DECIDE =
      List.of(
          "call.lua",
          "single.lua",
          "fast-path.lua",
          "arithmetic.lua",
          "token-bucket.lua",
          "lease.lua",
          "window.lua",
          "log.lua",
          "decide.lua");

  private final byte[] text;
  private final byte[] sha;

  private Script(byte[] text) {
    this.text = text;
    try {
      byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
      this.sha = HexFormat.of().formatHex(digest).getBytes(US_ASCII);
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  static Script of(String text) {
    return new Script(text.getBytes(UTF_8));
  }

  /** Returns the script that makes decisions. */
  static Script decide() {
    return of(decideText());
  }

  static String decideText() {
    return DECIDE.stream().map(Script::read).collect(Collectors.joining("\n"));
  }

  /** Returns the script that registers and counts nodes. */
  static Script presence() {
    return of(read("presence.lua"));
  }

  private static String read(String resource) {
    try (InputStream in = Script.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("script is missing: " + resource);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The script itself, for EVAL. */
  byte[] text() {
    return text;
  }

  /** The hash in hexadecimal, for EVALSHA. */
  byte[] sha() {
    return sha;
  }
}
