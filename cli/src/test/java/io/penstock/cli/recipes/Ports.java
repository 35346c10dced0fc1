package io.penstock.cli.recipes;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Ports that stay free while nobody listens on them. */
final class Ports {
  /** Below those that systems give to outgoing connections, which would take one in between. */
  private static final int FROM = 20_000;

  private static final int TO = 32_000;
  private static final int TRIES = 1_000;

  private Ports() {}

  static int free() {
    for (int i = 0; i < TRIES; i++) {
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
