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

/** A script for Redis and the name by which Redis knows it. Immutable. */
final class Script {
  /** The files beside this class that it is made of: each uses what those before it define. */
  private static final List<String> DECIDE =
      List.of(
          "call.lua",
          "usual.lua",
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

  /** The script that decides. */
  static Script decide() {
    return of(decideText());
  }

  static String decideText() {
    return DECIDE.stream().map(Script::read).collect(Collectors.joining("\n"));
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

  /** The whole of it, for EVAL. */
  byte[] text() {
    return text;
  }

  /** Its hash in hexadecimal, for EVALSHA. */
  byte[] sha() {
    return sha;
  }
}
