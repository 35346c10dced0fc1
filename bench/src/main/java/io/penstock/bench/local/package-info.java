/** Benchmarks of limiters inside one process. */
@NullMarked
package io.penstock.bench.local;

import org.jspecify.annotations.NullMarked;
