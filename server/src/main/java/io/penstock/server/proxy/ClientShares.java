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

  /** Modified inside {@code compute} only. */
  private static final class Share {
    private int inFlight;
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
    Admission[] entry = {Admission.ENTERED};
    shares.compute(
        client,
        (name, known) -> {
          Share share = known == null ? new Share() : known;
          if (share.inFlight < max) {
            share.inFlight++;
            return share;
          }
          Deque<Waiter> waiting = share.waiting == null ? new ArrayDeque<>() : share.waiting;
          share.waiting = waiting;
          entry[0] = waiting.size() < maxWaiting ? Admission.WAITS : Admission.REJECTED;
          if (entry[0] == Admission.WAITS) {
            waiting.add(waiter);
          }
          return share;
        });
    return entry[0];
  }

  /** Ends an exchange; the first waiting request of the client takes its place. */
  void leave(String client) {
    @Nullable Waiter[] next = {null};
    shares.computeIfPresent(
        client,
        (name, share) -> {
          next[0] = share.waiting == null ? null : share.waiting.poll();
          if (next[0] == null) {
            share.inFlight--;
          }
          return share.inFlight == 0 ? null : share;
        });
    Waiter first = next[0];
    if (first != null) {
      first.proceed();
    }
  }

  /** Stops waiting. Returns false if the request may already proceed. */
  boolean withdraw(String client, Waiter waiter) {
    boolean[] withdrawn = {false};
    shares.computeIfPresent(
        client,
        (name, share) -> {
          withdrawn[0] = share.waiting != null && share.waiting.remove(waiter);
          return share;
        });
    return withdrawn[0];
  }

  /** Returns the number of clients with exchanges. */
  int clients() {
    return shares.size();
  }
}
