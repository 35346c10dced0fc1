/** Capacity planning: the servers that a load requires, based on measurements. */
@NullMarked
package io.penstock.bench.capacity;

import org.jspecify.annotations.NullMarked;
