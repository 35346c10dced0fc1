/**
 * A store in Redis or Valkey, shared by many nodes. Start with {@link
 * io.penstock.redis.RedisStore}.
 */
@NullMarked
package io.penstock.redis;

import org.jspecify.annotations.NullMarked;
