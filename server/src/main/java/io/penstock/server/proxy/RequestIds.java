package io.penstock.server.proxy;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** Names for requests that have none. Thread-safe. */
final class RequestIds {
  private RequestIds() {}

  /**
   * A name that no other request has: 128 bits at random, which nobody has to be unable to guess.
   */
  static String next() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(random.nextLong()) + hex.toHexDigits(random.nextLong());
  }
}
