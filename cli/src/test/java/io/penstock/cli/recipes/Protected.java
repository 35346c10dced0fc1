package io.penstock.cli.recipes;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Penstock and a proxy that uses it.
 *
 * @param port the port of the proxy
 */
record Protected(PenstockProcess penstock, Running proxy, int port) implements AutoCloseable {
  private static final AtomicInteger ADDRESSES = new AtomicInteger();

  /** Returns a client with a new address, hence a full bucket. */
  Client newClient() {
    return new Client("127.0.1." + ADDRESSES.incrementAndGet(), port);
  }

  @Override
  public void close() {
    proxy.close();
    penstock.close();
  }
}
