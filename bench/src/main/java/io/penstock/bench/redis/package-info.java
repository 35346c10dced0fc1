/** Limiters that share their buckets through Redis. */
@NullMarked
package io.penstock.bench.redis;

import org.jspecify.annotations.NullMarked;
