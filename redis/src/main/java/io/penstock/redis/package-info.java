/**
 * A store in Redis or Valkey, shared by many nodes. Start with {@link
 * io.penstock.redis.RedisStore}.
 *
 * <p>{@code Dispatcher} completes each request by its deadline: by Redis or by {@code Fallback}.
 * The Lua script consists of the resources next to this package that {@code Script} lists; {@code
 * call.lua} describes its arguments and its reply.
 */
@NullMarked
package io.penstock.redis;

import org.jspecify.annotations.NullMarked;
