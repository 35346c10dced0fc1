package io.penstock.redis;

import io.lettuce.core.RedisException;

/**
 * A call was not executed because its slots can't be decided together. Its requests have to be
 * submitted again, by the current view of the cluster.
 */
final class SlotsRejected extends RedisException {
  private static final long serialVersionUID = 1;

  SlotsRejected() {
    super("the slots can't be decided in one call");
  }
}
