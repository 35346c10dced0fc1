package io.penstock.server.proxy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of concurrent exchanges with the origin for each client, so that no client uses
 * all connections. Requests beyond a client's share wait in FIFO order until one of its exchanges
 * ends. Thread-safe.
 */
final class ClientShares {
  private final int max;
  private final int maxWaiting;
  private final ConcurrentHashMap<String, Share> shares = new ConcurrentHashMap<>();

  /** A request that may have to wait. */
  interface Waiter {
    /** Called when the request may proceed, on the thread that ended another exchange. */
    void proceed();
  }

  /** The result of {@link #enter}. */
  enum Admission {
    /** The request may proceed; {@link #leave} must be called. */
    ENTERED,
    /** {@link Waiter#proceed} will be called, unless {@link #withdraw} succeeds before. */
    WAITS,
    /** The queue of this client is full. */
    REJECTED
  }

  /** Guarded by itself. Removed from the map when its client has no exchange left. */
  private static final class Share {
    private int inFlight;
    private boolean removed;
    private @Nullable Deque<Waiter> waiting;
  }

  /**
   * @param max the max number of concurrent exchanges of a client
   * @param maxWaiting the max number of waiting requests of a client
   */
  ClientShares(int max, int maxWaiting) {
    this.max = max;
    this.maxWaiting = maxWaiting;
  }

  Admission enter(String client, Waiter waiter) {
    while (true) {
      Share share = shares.get(client);
      if (share == null) {
        Share created = new Share();
        Share other = shares.putIfAbsent(client, created);
        share = other == null ? created : other;
      }
      synchronized (share) {
        if (!share.removed) {
          return enter(share, waiter);
        }
      }
    }
  }

  private Admission enter(Share share, Waiter waiter) {
    if (share.inFlight < max) {
      share.inFlight++;
      return Admission.ENTERED;
    }
    Deque<Waiter> waiting = share.waiting == null ? new ArrayDeque<>() : share.waiting;
    share.waiting = waiting;
    if (waiting.size() >= maxWaiting) {
      return Admission.REJECTED;
    }
    waiting.add(waiter);
    return Admission.WAITS;
  }

  /** Ends an exchange; the first waiting request of the client takes its place. */
  void leave(String client) {
    Share share = shares.get(client);
    if (share == null) {
      throw new IllegalStateException("client has no exchange: " + client);
    }
    Waiter next;
    synchronized (share) {
      next = share.waiting == null ? null : share.waiting.poll();
      if (next == null && --share.inFlight == 0) {
        share.removed = true;
        shares.remove(client);
      }
    }
    if (next != null) {
      next.proceed();
    }
  }

  /** Stops waiting. Returns false if the request may already proceed. */
  boolean withdraw(String client, Waiter waiter) {
    Share share = shares.get(client);
    if (share == null) {
      return false;
    }
    synchronized (share) {
      return share.waiting != null && share.waiting.remove(waiter);
    }
  }

  /** Returns the number of clients with exchanges. */
  int clients() {
    return shares.size();
  }
}
