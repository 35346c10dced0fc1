package io.penstock.cli.recipes;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Penstock, and a proxy that asks it.
 *
 * @param port that of the proxy
 */
record Protected(PenstockProcess penstock, Running proxy, int port) implements AutoCloseable {
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  /** A client whose bucket is full. */
  Client newClient() {
    return new Client("127.0.1." + ADDRESSES.incrementAndGet(), port);
  }

  @Override
  public void close() {
    proxy.close();
    penstock.close();
  }
}
