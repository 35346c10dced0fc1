/**
 * The algorithms as pure arithmetic: no clock, no I/O, no floating point. Stores supply the clock
 * and keep the state. Start with {@link io.penstock.algorithm.FixedPointRate} for token buckets and
 * {@link io.penstock.algorithm.Window} for windows.
 */
@NullMarked
package io.penstock.algorithm;

import org.jspecify.annotations.NullMarked;
