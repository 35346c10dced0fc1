package io.penstock.redis;

import io.penstock.Reason;

/** Receives events of a store, for metrics and logs. Implementations must not block. */
public interface RedisObserver {
  /** Ignores all events. */
  RedisObserver NONE = new RedisObserver() {};

  /** Why a failure policy decided instead of Redis. */
  enum Degradation {
    /** Redis was known to be unavailable, and was not called. */
    UNAVAILABLE,
    /** Redis rejected the call, or the request could not be sent before its deadline. */
    FAILED,
    /**
     * The request was sent, but no response arrived before the deadline or before the connection
     * broke. Redis may have charged the request.
     */
    AMBIGUOUS,
    /**
     * The deadline passed, and this process noticed it late because it lacked CPU time. Redis may
     * be healthy, and may have charged the request. Or Redis was not called, because it is
     * considered unavailable for that reason ({@link UnavailableReason#CPU_STARVED}).
     */
    STARVED;

    /** The reason that decisions have. */
    Reason reason() {
      return switch (this) {
        case UNAVAILABLE, FAILED -> Reason.STORE_UNAVAILABLE;
        case AMBIGUOUS -> Reason.STORE_TIMEOUT;
        case STARVED -> Reason.CPU_STARVED;
      };
    }
  }

  /**
   * The store starts to connect. Called once, before all other events.
   *
   * @param address the address of the server, such as {@code redis:6379}; several addresses,
   *     separated by commas, for sentinels and clusters; empty if it is unknown
   */
  default void connecting(String address) {}

  /** Redis responded to a call for {@code decisions} callers after {@code nanos}. */
  default void called(int decisions, long nanos) {}

  /** A call for {@code decisions} callers failed. */
  default void failed(int decisions, Throwable cause) {}

  /** The failure policy of the limiter {@code name} decided a request. */
  default void degraded(String name, Degradation why) {}

  /** A request was denied by a cached denial, without a call to Redis. */
  default void deniedFromCache(String name) {}

  /** A charge was refunded, because its response was late or another slot denied the request. */
  default void refunded(String name) {}

  /** Foreign values under keys of this store were replaced. */
  default void repaired(long values) {}

  /**
   * Redis may evict buckets before they expire when it runs out of memory: its {@code
   * maxmemory-policy} is neither {@code noeviction} nor {@code volatile-ttl}. Called once per
   * policy.
   */
  default void evicting(String policy) {}

  /**
   * Redis rejected the registration of this node, for example because of a missing permission. So
   * the number of nodes is unknown, and {@link io.penstock.FailurePolicy#LOCAL_SHARE} divides
   * limits by {@code nodes}, the last known number or 1. Called once until a registration succeeds.
   *
   * @param error the error reply, without the name of the user
   */
  default void registrationRejected(String error, int nodes) {}

  /** The limiter {@code name} leased {@code thousandths} of a token. */
  default void leased(String name, long thousandths) {}

  /** Unused leased tokens were returned. */
  default void leaseReturned(String name, long thousandths) {}

  /** Leased tokens expired unused. */
  default void leaseExpired(String name, long thousandths) {}

  /**
   * A key of a limiter with consistency {@code AUTO} became hot and is leased from now on, or no
   * longer is.
   */
  default void hot(String name, boolean hot) {}

  /** Redis became available, or unavailable. */
  default void available(boolean available) {}

  /**
   * Redis is unavailable. Called when it becomes unavailable, when it is unavailable at the start
   * of the store, when the reason changes, and about every 5 seconds after that; not while the
   * store waits for Redis at its start, and not if the start fails with {@link
   * RedisStoreBuilder#failFast}.
   */
  default void unavailable(RedisOutage outage) {}
}
