/**
 * The algorithms as arithmetic: no clock, no I/O, no floating point. Stores bring the clock and
 * keep the state; these types say what the state means.
 */
@NullMarked
package io.penstock.algorithm;

import org.jspecify.annotations.NullMarked;
