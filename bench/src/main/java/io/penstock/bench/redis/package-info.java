/** Benchmarks of limiters that share buckets through Redis. */
@NullMarked
package io.penstock.bench.redis;

import org.jspecify.annotations.NullMarked;
