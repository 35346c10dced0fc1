package io.penstock.testing;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds ports for servers that cannot choose one themselves, or that restart on the same port.
 * Tests of other modules use it as well.
 */
public final class Ports {
  /**
   * A port 10,000 higher, which the bus of a Redis Cluster takes, is still below the ephemeral
   * ports of Linux, which outgoing connections could take before the server does.
   */
  private static final int FROM = 10_000;

  private static final int TO = 22_000;
  private static final int MAX_ATTEMPTS = 1_000;

  private Ports() {}

  public static int free() {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      int port = ThreadLocalRandom.current().nextInt(FROM, TO);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException("no port is free from " + FROM + " to " + TO);
  }

  public static boolean isFree(int port) {
    try (ServerSocket probe = new ServerSocket(port)) {
      return probe.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
