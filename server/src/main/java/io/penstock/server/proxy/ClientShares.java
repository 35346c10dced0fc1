package io.penstock.server.proxy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How many exchanges with the origin each client has, so that none of them takes all connections.
 * Requests beyond a client's share wait in their order until one of its own ends. Thread-safe.
 */
final class ClientShares {
  private final int max;
  private final int maxWaiting;
  private final ConcurrentHashMap<String, Share> shares = new ConcurrentHashMap<>();

  /** A request that may have to wait. */
  interface Waiter {
    /** Its turn has come. Called by the thread that ended another exchange. */
    void proceed();
  }

  /** What became of a request. */
  enum Admission {
    /** It goes on; {@link #leave} is owed. */
    ENTERED,
    /** {@link Waiter#proceed} will be called, unless {@link #withdraw} succeeds before. */
    WAITS,
    /** Too many of this client's wait already. */
    REJECTED
  }

  /** Changed inside {@code compute} only. */
  private static final class Share {
    private int inFlight;
    private @Nullable Deque<Waiter> waiting;
  }

  /**
   * @param max how many exchanges a client may have at a time
   * @param maxWaiting how many of its requests may wait for that
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

  /** An exchange has ended; the longest waiting request of the client takes its place. */
  void leave(String client) {
    Waiter[] next = {null};
    shares.computeIfPresent(
        client,
        (name, share) -> {
          next[0] = share.waiting == null ? null : share.waiting.poll();
          if (next[0] == null) {
            share.inFlight--;
          }
          return share.inFlight == 0 ? null : share;
        });
    if (next[0] != null) {
      next[0].proceed();
    }
  }

  /** Gives up waiting. Returns false if the turn has come already. */
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

  /** How many clients have exchanges now. */
  int clients() {
    return shares.size();
  }
}
