/** Benchmarks of Penstock and of others, from one command. */
@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
