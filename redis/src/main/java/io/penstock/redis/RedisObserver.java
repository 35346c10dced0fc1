package io.penstock.redis;

/** Is told what goes on between a store and Redis, for counting. Must not block. */
public interface RedisObserver {
  /** Nobody. */
  RedisObserver NONE = new RedisObserver() {};

  /** Why a decision was not Redis's. */
  enum Degradation {
    /** Redis was known to be away, and was not asked. */
    UNAVAILABLE,
    /** Redis said that it can't, or was not asked in time. */
    FAILED,
    /** Redis was asked and did not answer in time: it may have charged the request. */
    AMBIGUOUS
  }

  /** A call for {@code decisions} callers was answered after {@code nanos}. */
  default void called(int decisions, long nanos) {}

  /** A call for {@code decisions} callers failed. */
  default void failed(int decisions, Throwable cause) {}

  /** The failure policy of the limiter {@code name} decided. */
  default void degraded(String name, Degradation why) {}

  /** A denial was known, and Redis was not asked. */
  default void remembered(String name) {}

  /** What a request was charged that was lost, or denied by another slot, was given back. */
  default void givenBack(String name) {}

  /** Values under our keys that were not ours were put right. */
  default void repaired(long values) {}

  /**
   * Redis may drop buckets before their time when it runs out of memory: its {@code
   * maxmemory-policy} is neither {@code noeviction} nor {@code volatile-ttl}. Told once for each
   * policy found.
   */
  default void evicting(String policy) {}

  /** The limiter {@code name} has taken so much of a bucket in advance. */
  default void leased(String name, long thousandths) {}

  /** So much of what was taken in advance was not needed, and was given back. */
  default void leaseReturned(String name, long thousandths) {}

  /** So much of what was taken in advance was not used before its time was over. */
  default void leaseExpired(String name, long thousandths) {}

  /** A key of a limiter that decides for itself is so hot that it is leased, or no longer. */
  default void hot(String name, boolean hot) {}

  /** Redis is asked again, or no longer. */
  default void available(boolean available) {}

  /**
   * The store stopped calling Redis because of {@code reason}; {@link #available} is called too.
   */
  default void unavailable(String reason) {}
}
