package io.penstock.cli.recipes;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Finds ports that stay free until a test listens on them. */
final class Ports {
  /** Below the ephemeral ports of the system, which outgoing connections could take in between. */
  private static final int FROM = 20_000;

  private static final int TO = 32_000;
  private static final int MAX_ATTEMPTS = 1_000;

  private Ports() {}

  static int free() {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(FROM, TO);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no port is free from " + FROM + " to " + TO);
  }

  private static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port)) {
      return probe.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
