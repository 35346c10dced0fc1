/** Benchmarks of Penstock and other rate limiters. */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
