package io.penstock.server.proxy;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** Generates ids for requests without one. Thread-safe. */
final class RequestIds {
  private RequestIds() {}

  /** Returns a unique id of 128 random bits, which are not cryptographically secure. */
  static String next() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
  }
}
