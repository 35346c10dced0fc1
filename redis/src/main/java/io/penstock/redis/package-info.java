/**
 * Buckets that many nodes share through Redis or Valkey. Start at {@link
 * io.penstock.redis.RedisStore}.
 */
@NullMarked
package io.penstock.redis;

import org.jspecify.annotations.NullMarked;
