/**
 * The algorithms as pure arithmetic: no clock, no I/O, no floating point. Stores supply the clock
 * and keep the state.
 */
@NullMarked
package io.penstock.algorithm;

import org.jspecify.annotations.NullMarked;
